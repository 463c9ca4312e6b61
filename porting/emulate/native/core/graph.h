// Graphs of work: made by hand or by a capture, instantiated, launched.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <vector>

#include "operation.h"
#include "status.h"

namespace eclosion::emulator {

class Stream;
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
  NodeKind kind;
  int device;
  Title title;
  Operation::Body body;
  NodeParameters parameters;
  GraphRef child;
  bool is_enabled = true;
  std::vector<GraphNode*> after;  // in the order they were given
  Graph* graph;
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
  // A deep copy; `found` gives the copy of a node.
  GraphRef clone() const;
  GraphNode* find_copy(const GraphNode* original) const;
  std::vector<GraphNode*> roots() const;

 private:
  friend class GraphExec;
  std::vector<std::unique_ptr<GraphNode>> nodes_;
  std::vector<std::pair<const GraphNode*, GraphNode*>> copies_;
};

// A graph as it was when it was instantiated.
class GraphExec {
 public:
  static Status instantiate(const Graph& graph, GraphExecRef* made);
  // Launches of one GraphExec run one after the other.
  Status launch(Stream& stream, const void* site);
  // Take over parameters of a graph of the same form; kGraphUpdateFailed.
  Status update(const Graph& graph);
  // The node of this exec that came of a node of the graph it was made of.
  GraphNode* find(const GraphNode* original) const;

 private:
  GraphRef copy_;
  OperationRef last_;
};

}  // namespace eclosion::emulator
