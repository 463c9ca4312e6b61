"""What a port adds to its output besides the ported sources: headers, build files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from porting.buildfiles import BuildContext, convert_all
from porting.config import Mode, Target
from porting.diagnostics import Diagnostic
from porting.headers import rust
from porting.hipify import Hipified
from porting.mapping import Names
from porting.output.writing import Extra
from porting.rules import Project
from porting.settings import Settings
from porting.tree import Tree


@dataclass(frozen=True)
class Context:
    """What the makers of generated files may look at."""

    tree: Tree
    target: Target
    mode: Mode
    names: Names
    project: Project
    settings: Settings
    hipified: Sequence[Hipified]


@dataclass(frozen=True)
class Generated:
    """Files for the output, and what was found while they were made.

    `replaced`: input path -> new bytes of a file that is no C-family source.  `added`: path of a
    new file -> its bytes.  `diagnostics` are located in the input.  `looked_at`: the build files
    that a converter knows, changed or not.
    """

    replaced: dict[str, bytes] = field(default_factory=dict)
    added: dict[str, bytes] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    looked_at: list[Hipified] = field(default_factory=list)

    @property
    def extra(self) -> Extra:
        """The files, as the output takes them."""
        return Extra(self.replaced, self.added)


def generate(context: Context, headers: Mapping[str, str]) -> Generated:
    """Make every file that is not a ported source.

    `headers`: those of a compat tree by path.  An input of one file has no tree to put files in, so
    nothing is made for it.
    """
    done = Generated()
    done.added.update({path: text.encode() for path, text in headers.items()})
    if context.tree.single:
        return done
    _add_build_files(context, done)
    return done


def _add_build_files(context: Context, done: Generated) -> None:
    tree = context.tree
    shim = rust.generate(rust.rust_sources(tree), context.target, context.names)
    done.added.update({path: text.encode() for path, text in shim.files.items()})
    done.diagnostics.extend(shim.diagnostics)
    build = BuildContext(context.target, context.mode, tree.paths, tree.sources, shim.scripts)
    converted = convert_all(tree, build)
    done.replaced.update(converted.outputs)
    done.added.update({path: text.encode() for path, text in converted.generated.items()})
    done.diagnostics.extend(converted.diagnostics)
    done.looked_at.extend(converted.files)
    done.looked_at.extend(Hipified(source, source.data) for source in shim.handled)
