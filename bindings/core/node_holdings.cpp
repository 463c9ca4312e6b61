// What a node keeps, counted.
#include "node.h"

namespace eclosion {

std::vector<std::pair<const char*, std::uint64_t>> Node::holdings() {
  std::vector<std::pair<const char*, std::uint64_t>> found{
      {"windows", windows_.size()},
      {"credits", credits_.size()},
      {"segment_bytes", segments_.bytes()},
      {"kept", trees_.kept_count()},
  };
  {
    std::lock_guard lock(routes_mutex_);
    found.insert(found.end(), {{"connections", connections_.size()},
                               {"ways", ways_.size()},
                               {"held", held_.size()},
                               {"watched", watched_.size()},
                               {"lost", lost_.size()},
                               {"ended", dead_.size() + dead_hosts_.size()}});
  }
  {
    std::lock_guard lock(mailboxes_mutex_);
    found.emplace_back("mailboxes", mailboxes_.size());
    found.emplace_back("ended_actors", ended_.size());
  }
  std::lock_guard lock(calls_mutex_);
  found.emplace_back("calls", calls_.size());
  return found;
}

}  // namespace eclosion
