"""Votes and matches of groups by definitions that every release of HIP takes.

They are members of AMD's groups from ROCm 7.0 on; ROCm 6.2's header, which is also the one in a
tree of ROCm 7.1 that is made of wheels, lacks them.  A tile reads its lanes from the wavefront's
ballot; the threads of a coalesced group hand each other their votes, so that bits stand for ranks.
"""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.cooperative import provided
from porting.rules.cooperative.codes import ABSENT, LATER, WRITTEN
from porting.rules.cooperative.groups import NAMESPACE, Group, Groups, Kind
from porting.rules.unit import Unit
from porting.syntax import call_at

BALLOTS: Final = ("ballot", "any", "all")
MATCHES: Final = ("match_any", "match_all")
SINCE: Final = (7, 0)
_ARGUMENTS: Final = {"match_all": 2}

DEFINITION: Final = """\
#if defined(__HIP__) && !defined(PORTED_CG_VOTES)
#define PORTED_CG_VOTES
namespace cooperative_groups {
namespace ported {
template <unsigned int Size>
struct votes_of {
  using type = unsigned int;
};
template <>
struct votes_of<64> {
  using type = unsigned long long;
};
template <unsigned int Size, class Parent>
__device__ inline typename votes_of<Size>::type ballot(
    const thread_block_tile<Size, Parent>&, bool vote) {
  const unsigned long long votes =
      __ballot64(vote) >> (__lane_id() & (64 - Size));
  return static_cast<typename votes_of<Size>::type>(votes &
                                                    (~0ull >> (64 - Size)));
}
__device__ inline unsigned long long ballot(const coalesced_group& group,
                                            bool vote) {
  unsigned long long votes = 0;
  for (unsigned int rank = 0; rank < group.size(); ++rank)
    votes |= static_cast<unsigned long long>(group.shfl(vote ? 1 : 0, rank))
             << rank;
  return votes;
}
template <class Group>
__device__ inline int any(const Group& group, bool vote) {
  return ballot(group, vote) != 0;
}
template <class Group>
__device__ inline int all(const Group& group, bool vote) {
  return ballot(group, !vote) == 0;
}
template <class Group, class T>
__device__ inline auto match_any(const Group& group, T value)
    -> decltype(ballot(group, true)) {
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  decltype(ballot(group, true)) matches = 0;
  for (unsigned int rank = 0; rank < group.size(); ++rank) {
    bool same = true;
    for (const int word : words) {
      const int other = group.shfl(word, rank);
      same = same && other == word;
    }
    matches |= static_cast<decltype(matches)>(same) << rank;
  }
  return matches;
}
template <class Group, class T>
__device__ inline auto match_all(const Group& group, T value, int& same)
    -> decltype(ballot(group, true)) {
  const auto matches = match_any(group, value);
  const auto here = ballot(group, true);
  same = matches == here;
  return same ? matches : 0;
}
}  // namespace ported
}  // namespace cooperative_groups
#endif
"""


def check_votes(unit: Unit, groups: Groups) -> Iterator[Diagnostic]:
    """Yield the votes that no plain expression stands for: by the definition, or as they are."""
    definition = provided.behind_groups(unit, DEFINITION)
    new = definition
    for place, group in _votes(unit, groups):
        edits = _by_definition(unit, place) if definition else []
        yield _finding(unit, place, group, [*new, *edits] if edits else [])
        new = [] if edits else new


def is_plain(group: Group, name: str) -> bool:
    """Whether an expression with the wavefront's ballot stands for a vote of the group."""
    return group.kind is Kind.TILE and group.size > 0 and name in BALLOTS


def _votes(unit: Unit, groups: Groups) -> Iterator[tuple[int, Group]]:
    """Yield the calls of votes, as `tile.any`, and their groups."""
    places = sorted(place for name in (*BALLOTS, *MATCHES) for place in unit.where(name))
    for place in places:
        words = unit.tokens.words
        group = groups.of(place - 2) if words[place - 1] == "." else None
        if group is None or group.kind not in (Kind.TILE, Kind.COALESCED):
            continue
        if words[place + 1] == "(" and not is_plain(group, words[place]):
            yield place, group


def _by_definition(unit: Unit, place: int) -> list[Edit]:
    """Return the edit that makes `tile.any(x)` a call of the definition; none if it cannot."""
    call, name = call_at(unit.tokens, place), unit.tokens[place].text
    if call is None or len(call.arguments) != _ARGUMENTS.get(name, 1):
        return []
    group = unit.tokens[place - 2]
    text = f"{NAMESPACE}::ported::{name}({group.text}, "
    return [Edit(group.start, unit.tokens[call.open].end, text, name)]


def _finding(unit: Unit, place: int, group: Group, edits: list[Edit]) -> Diagnostic:
    """Report a vote: a note where a definition or the release has it, else an error."""
    name = unit.tokens[place]
    if unit.target.release < SINCE and edits:
        message = f"{name.text} of a {group.kind} is written by a definition"
        return unit.diagnose(WRITTEN, name, message, edits=edits)
    if unit.target.release < SINCE:
        return unit.diagnose(
            ABSENT,
            name,
            f"{group.kind}::{name.text} is not in HIP before ROCm 7.0",
            help="use __ballot() and the lanes of the group",
        )
    return unit.diagnose(
        LATER,
        name,
        f"{group.kind}::{name.text} came with ROCm 7.0, and ROCm 6.2's header, which a tree of 7.1"
        " made of wheels has too, lacks it",
        edits=edits,
    )
