// core/graph: nodes, edges, copies, launches of what was instantiated, updates.
#include "graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "gates.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

using Nodes = std::vector<GraphNode*>;

StreamRef stream_of() {
  return std::make_shared<Stream>(0, Stream::kNonBlocking, 0);
}

GraphNode kernel(const Operation::Body& body) {
  GraphNode node;
  node.kind = NodeKind::kKernel;
  node.title = {"kernel"};
  node.body = body;
  return node;
}

GraphNode* added(Graph& graph, GraphNode node, const Nodes& after = {}) {
  GraphNode* made = nullptr;
  REQUIRE(graph.add(std::move(node), after, &made) == Status::kSuccess);
  return made;
}

GraphExecRef instantiated(const Graph& graph) {
  GraphExecRef exec;
  REQUIRE(GraphExec::instantiate(graph, &exec) == Status::kSuccess);
  return exec;
}

std::string sorted(std::string text) {
  std::ranges::sort(text);
  return text;
}

}  // namespace

TEST_CASE("edges join nodes of one graph, once, and never in a circle") {
  const auto graph = std::make_shared<Graph>();
  Graph other;
  GraphNode* a = added(*graph, {});
  GraphNode* b = added(*graph, {}, {a});
  GraphNode* c = added(*graph, {}, {b});
  GraphNode* stranger = added(other, {});
  CHECK(graph->add_edge(a, c) == Status::kSuccess);
  CHECK(graph->add_edge(a, c) == Status::kInvalidValue);
  CHECK(graph->add_edge(c, a) == Status::kInvalidValue);
  CHECK(graph->add_edge(a, a) == Status::kInvalidValue);
  CHECK(graph->add_edge(a, stranger) == Status::kInvalidValue);
  CHECK(graph->add_edge(stranger, a) == Status::kInvalidValue);
  GraphNode* made = nullptr;
  CHECK(graph->add({}, {stranger}, &made) == Status::kInvalidValue);
  CHECK(graph->add({}, {a, a}, &made) == Status::kInvalidValue);
  CHECK(graph->nodes().size() == 3);
  CHECK(graph->remove_edge(a, b) == Status::kSuccess);
  CHECK(graph->remove_edge(a, b) == Status::kInvalidValue);
  CHECK(graph->roots() == Nodes{a, b});
  CHECK(graph->add_edge(c, a) == Status::kInvalidValue);
}

TEST_CASE("a node that is removed takes its edges with it") {
  const auto graph = std::make_shared<Graph>();
  GraphNode* a = added(*graph, {});
  GraphNode* b = added(*graph, {}, {a});
  GraphNode* c = added(*graph, {}, {b});
  CHECK(graph->remove(b) == Status::kSuccess);
  CHECK(graph->nodes().size() == 2);
  CHECK(c->after.empty());
  GraphNode stranger;
  CHECK(graph->remove(&stranger) == Status::kInvalidValue);
}

TEST_CASE("nodes are in order when each comes after those it depends on") {
  const auto graph = std::make_shared<Graph>();
  GraphNode* last = added(*graph, {});
  GraphNode* first = added(*graph, {});
  GraphNode* middle = added(*graph, {}, {first});
  REQUIRE(graph->add_edge(middle, last) == Status::kSuccess);
  CHECK(graph->in_order() == Nodes{first, middle, last});
}

TEST_CASE("a copy has nodes and child graphs of its own") {
  const auto child = std::make_shared<Graph>();
  GraphNode* inner = added(*child, {});
  const auto graph = std::make_shared<Graph>();
  GraphNode parent;
  parent.kind = NodeKind::kChild;
  GraphNode* made = nullptr;
  CHECK(graph->add(parent, {}, &made) == Status::kInvalidValue);
  parent.child = child;
  GraphNode* a = added(*graph, parent);
  GraphNode* b = added(*graph, {}, {a});
  CHECK(a->child != child);
  const GraphRef copy = graph->clone();
  REQUIRE(copy->nodes().size() == 2);
  GraphNode* b_copy = copy->find_copy(b);
  REQUIRE(b_copy);
  CHECK(b_copy != b);
  CHECK(b_copy->after == Nodes{copy->find_copy(a)});
  CHECK(b_copy->graph == copy.get());
  GraphNode* inside = a->child->find_copy(inner);
  REQUIRE(inside);
  CHECK(copy->find_copy(inside)->graph == copy->find_copy(a)->child.get());
  CHECK(copy->find_copy(b_copy) == nullptr);
}

TEST_CASE("a launch runs the nodes in order and inside its stream") {
  const auto graph = std::make_shared<Graph>();
  Journal journal;
  GraphNode* a = added(*graph, kernel(journal.body("a")));
  GraphNode* b = added(*graph, kernel(journal.body("b")), {a});
  GraphNode* c = added(*graph, kernel(journal.body("c")), {a});
  added(*graph, kernel(journal.body("d")), {b, c});
  const GraphExecRef exec = instantiated(*graph);
  const StreamRef stream = stream_of();
  Gate gate;
  stream->put(gate.work());
  CHECK(exec->launch(*stream, nullptr) == Status::kSuccess);
  stream->put(journal.work("e"));
  CHECK(journal.text().empty());
  gate.open();
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(journal.text().front() == 'a');
  CHECK(journal.text().substr(3) == "de");
  CHECK(sorted(journal.text()) == "abcde");
}

TEST_CASE("branches of a graph run at once") {
  const auto graph = std::make_shared<Graph>();
  std::atomic<int> here{0};
  const auto meet = [&](Operation&) {
    ++here;
    while (here < 2) std::this_thread::yield();
    return Status::kSuccess;
  };
  GraphNode* root = added(*graph, {});
  added(*graph, kernel(meet), {root});
  added(*graph, kernel(meet), {root});
  const StreamRef stream = stream_of();
  CHECK(instantiated(*graph)->launch(*stream, nullptr) == Status::kSuccess);
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(here == 2);
}

TEST_CASE("launches of one instance come one after the other, in any streams") {
  const auto graph = std::make_shared<Graph>();
  Gate gate;
  std::atomic<int> runs{0};
  added(*graph, kernel([&, body = gate.body()](Operation& operation) {
    ++runs;
    return body(operation);
  }));
  const GraphExecRef exec = instantiated(*graph);
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  exec->launch(*first, nullptr);
  exec->launch(*second, nullptr);
  gate.await_arrival();
  CHECK(runs == 1);
  CHECK(second->query() == Status::kNotReady);
  gate.open();
  CHECK(second->synchronize() == Status::kSuccess);
  CHECK(runs == 2);
  CHECK(first->query() == Status::kSuccess);
}

TEST_CASE("an instance does not change with its graph") {
  const auto graph = std::make_shared<Graph>();
  Journal journal;
  GraphNode* a = added(*graph, kernel(journal.body("a")));
  const GraphExecRef exec = instantiated(*graph);
  a->body = journal.body("changed");
  added(*graph, kernel(journal.body("b")), {a});
  const StreamRef stream = stream_of();
  exec->launch(*stream, nullptr);
  stream->synchronize();
  CHECK(journal.text() == "a");
  exec->find(a)->body = journal.body("x");
  exec->launch(*stream, nullptr);
  exec->find(a)->is_enabled = false;
  exec->launch(*stream, nullptr);
  stream->synchronize();
  CHECK(journal.text() == "ax");
}

TEST_CASE("an update takes over bodies of a graph of the same form only") {
  Journal journal;
  const auto make = [&](const char* name, int device = 0) {
    auto graph = std::make_shared<Graph>();
    GraphNode node = kernel(journal.body(name));
    node.device = device;
    GraphNode* a = added(*graph, node);
    added(*graph, kernel(journal.body(name)), {a});
    return graph;
  };
  const GraphRef graph = make("a");
  const GraphExecRef exec = instantiated(*graph);
  const StreamRef stream = stream_of();
  Gate gate;
  stream->put(gate.work());
  exec->launch(*stream, nullptr);
  GraphDifference difference{};
  const GraphNode* at = nullptr;
  CHECK(exec->update(*make("b"), &difference, &at) == Status::kSuccess);
  CHECK(difference == GraphDifference::kNone);
  exec->launch(*stream, nullptr);
  gate.open();
  stream->synchronize();
  CHECK(journal.text() == "aabb");

  const GraphRef more = make("c");
  added(*more, {});
  CHECK(exec->update(*more, &difference) == Status::kGraphUpdateFailed);
  CHECK(difference == GraphDifference::kTopology);
  const GraphRef loose = make("c");
  loose->remove_edge(loose->nodes()[0].get(), loose->nodes()[1].get());
  CHECK(exec->update(*loose, &difference, &at) == Status::kGraphUpdateFailed);
  CHECK(difference == GraphDifference::kTopology);
  CHECK(at == loose->nodes()[1].get());
  const GraphRef kind = make("c");
  kind->nodes()[1]->kind = NodeKind::kCopy;
  CHECK(exec->update(*kind, &difference, &at) == Status::kGraphUpdateFailed);
  CHECK(difference == GraphDifference::kNodeKind);
  CHECK(at == kind->nodes()[1].get());
  CHECK(exec->update(*make("c", 1), &difference) == Status::kGraphUpdateFailed);
  CHECK(difference == GraphDifference::kDevice);
  exec->launch(*stream, nullptr);
  stream->synchronize();
  CHECK(journal.text() == "aabbbb");
}

TEST_CASE("child graphs run between what is before and after them") {
  Journal journal;
  const auto child = std::make_shared<Graph>();
  GraphNode* first = added(*child, kernel(journal.body("1")));
  added(*child, kernel(journal.body("2")), {first});
  const auto graph = std::make_shared<Graph>();
  GraphNode* before = added(*graph, kernel(journal.body("a")));
  GraphNode parent;
  parent.kind = NodeKind::kChild;
  parent.child = child;
  GraphNode* middle = added(*graph, parent, {before});
  GraphNode empty = parent;
  empty.child = std::make_shared<Graph>();
  GraphNode* nothing = added(*graph, empty, {middle});
  added(*graph, kernel(journal.body("z")), {nothing});
  const StreamRef stream = stream_of();
  const GraphExecRef exec = instantiated(*graph);
  exec->launch(*stream, nullptr);
  stream->synchronize();
  CHECK(journal.text() == "a12z");
  GraphNode* inner = middle->child->find_copy(first);
  exec->find(inner)->body = journal.body("9");
  exec->launch(*stream, nullptr);
  stream->synchronize();
  CHECK(journal.text() == "a12za92z");
}

TEST_CASE("an empty graph can be launched") {
  const StreamRef stream = stream_of();
  const auto graph = std::make_shared<Graph>();
  CHECK(instantiated(*graph)->launch(*stream, nullptr) == Status::kSuccess);
  CHECK(stream->synchronize() == Status::kSuccess);
}

TEST_CASE("event nodes record and wait at each launch") {
  const auto begun = std::make_shared<Event>(0, 0);
  const auto wanted = std::make_shared<Event>(0, 0);
  const StreamRef captured = stream_of();
  Journal journal;
  REQUIRE(captured->begin_capture(CaptureMode::kThreadLocal) ==
          Status::kSuccess);
  CHECK(begun->record_external(*captured) == Status::kSuccess);
  CHECK(captured->wait_external(wanted) == Status::kSuccess);
  captured->put(journal.work("w"));
  GraphRef graph;
  REQUIRE(captured->end_capture(&graph) == Status::kSuccess);
  REQUIRE(graph->nodes().size() == 3);
  CHECK(graph->nodes()[0]->kind == NodeKind::kEventRecord);
  CHECK(graph->nodes()[1]->kind == NodeKind::kEventWait);
  const GraphExecRef exec = instantiated(*graph);
  const StreamRef other = stream_of();
  Gate gate;
  Gate before;
  other->put(gate.work());
  wanted->record(*other);
  captured->put(before.work());
  exec->launch(*captured, nullptr);
  CHECK(begun->query() == Status::kNotReady);
  before.open();
  CHECK(begun->synchronize() == Status::kSuccess);
  CHECK(captured->query() == Status::kNotReady);
  CHECK(journal.text().empty());
  gate.open();
  CHECK(captured->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "w");
}

TEST_CASE("a launch into a stream that is captured is a child node") {
  Journal journal;
  const auto graph = std::make_shared<Graph>();
  added(*graph, kernel(journal.body("k")));
  const GraphExecRef exec = instantiated(*graph);
  const StreamRef stream = stream_of();
  REQUIRE(stream->begin_capture(CaptureMode::kThreadLocal) == Status::kSuccess);
  stream->put(journal.work("a"));
  CHECK(exec->launch(*stream, nullptr) == Status::kSuccess);
  stream->put(journal.work("b"));
  GraphRef whole;
  REQUIRE(stream->end_capture(&whole) == Status::kSuccess);
  REQUIRE(whole->nodes().size() == 3);
  CHECK(whole->nodes()[1]->kind == NodeKind::kChild);
  CHECK(journal.text().empty());
  instantiated(*whole)->launch(*stream, nullptr);
  stream->synchronize();
  CHECK(journal.text() == "akb");
}

TEST_CASE("a failing node fails the launch") {
  const auto graph = std::make_shared<Graph>();
  Journal journal;
  GraphNode* bad =
      added(*graph, kernel([](Operation&) { return Status::kIllegalAddress; }));
  added(*graph, kernel(journal.body("later")), {bad});
  const StreamRef stream = stream_of();
  const GraphExecRef exec = instantiated(*graph);
  CHECK(exec->launch(*stream, nullptr) == Status::kSuccess);
  CHECK(stream->synchronize() == Status::kIllegalAddress);
  CHECK(exec->launch(*stream, nullptr) == Status::kIllegalAddress);
  CHECK(journal.text().empty());
  reset_device(0);
}
