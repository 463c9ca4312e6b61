// Graphs of work: made by hand or by a capture, instantiated, launched.
//
// Graphs are not locked: as with the vendors, one is changed by one thread at a
// time. What is instantiated may be launched by any thread.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "operation.h"
#include "status.h"

namespace eclosion::emulator {

class Stream;
class Event;
class Graph;
class GraphExec;
struct GraphNode;
using GraphRef = std::shared_ptr<Graph>;
using GraphExecRef = std::shared_ptr<GraphExec>;

enum class NodeKind {
  kKernel,
  kCopy,
  kFill,
  kHost,
  kChild,
  kEmpty,
  kEventRecord,
  kEventWait,
  kAllocate,
  kFree,
};

// The vendor's own struct of a node's parameters (cudaKernelNodeParams...), as
// the front keeps it.
using NodeParameters = std::any;

struct GraphNode {
  NodeKind kind = NodeKind::kEmpty;
  int device = 0;
  Title title;
  Operation::Body body;  // run by each launch; null: nothing to run
  NodeParameters parameters;
  GraphRef child;  // of a kChild node; the graph has a copy of its own
  bool is_enabled = true;
  std::vector<GraphNode*> after;  // in the order they were given
  Graph* graph = nullptr;
  Operation::Traits traits;
  std::vector<AccessRange> ranges;
  std::shared_ptr<Event> event;  // of kEventRecord and kEventWait nodes
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  // kInvalidValue: an edge to another graph's node, twice the same, or a
  // circle.
  Status add(GraphNode node, const std::vector<GraphNode*>& after,
             GraphNode** made);
  Status remove(GraphNode* node);
  Status add_edge(GraphNode* from, GraphNode* to);
  Status remove_edge(GraphNode* from, GraphNode* to);
  const std::vector<std::unique_ptr<GraphNode>>& nodes() const noexcept {
    return nodes_;
  }
  bool has(const GraphNode* node) const noexcept;
  // A deep copy; its find_copy() gives the copy of a node, of child graphs too.
  GraphRef clone() const;
  GraphNode* find_copy(const GraphNode* original) const;
  std::vector<GraphNode*> roots() const;
  // Each node after those that it depends on, else as they were added.
  std::vector<GraphNode*> in_order() const;

 private:
  std::vector<std::unique_ptr<GraphNode>> nodes_;
  std::vector<std::pair<const GraphNode*, GraphNode*>> copies_;
};

// Why a graph does not fit an instantiated one.
enum class GraphDifference {
  kNone,
  kTopology,  // nodes or edges
  kNodeKind,
  kDevice,
};

// A graph as it was when it was instantiated.
class GraphExec {
 public:
  static Status instantiate(const Graph& graph, GraphExecRef* made);
  ~GraphExec();
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  // Launches of one GraphExec run one after the other. In a stream that is
  // captured it is a child node.
  Status launch(Stream& stream, const void* site);
  // Take over bodies and parameters of a graph of the same form; launches that
  // were made before keep theirs. kGraphUpdateFailed, with why and at which of
  // `graph`'s nodes, where that is known.
  Status update(const Graph& graph, GraphDifference* difference = nullptr,
                const GraphNode** at = nullptr);
  // The node of this exec that came of a node of the graph it was made of.
  GraphNode* find(const GraphNode* original) const;

 private:
  // A node to run, or where a child graph begins or ends.
  struct Step {
    const GraphNode* node;
    std::vector<std::size_t> after;
    std::uint32_t timeline;
  };

  GraphExec() = default;
  // Append the steps of a graph that begin after `after`; those it ends with.
  std::vector<std::size_t> flatten(const Graph& graph,
                                   const std::vector<std::size_t>& after);
  std::uint32_t timeline_after(const std::vector<std::size_t>& after);
  OperationRef begin(const Step& step, const void* site,
                     std::vector<OperationRef> after);

  GraphRef copy_;
  std::vector<Step> steps_;
  std::vector<std::size_t> ends_;     // the steps that none follows
  std::vector<std::size_t> last_on_;  // the last step of each timeline
  std::vector<std::uint32_t> timelines_;
  OperationRef last_;
};

}  // namespace eclosion::emulator
