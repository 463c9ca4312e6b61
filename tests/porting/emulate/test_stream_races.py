"""A synchronisation that is missing is found and named, and one that is there is silent."""

from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__global__ void fill(int* to, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value;
}
__global__ void sum(const int* from, int* to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(to, from[i]);
}
constexpr int kCount = 4096;
struct Machine {
  hipStream_t a, b;
  hipEvent_t event;
  int *data, *total, *host;
  Machine() {
    hipStreamCreateWithFlags(&a, hipStreamNonBlocking);
    hipStreamCreateWithFlags(&b, hipStreamNonBlocking);
    hipEventCreate(&event);
    hipMalloc(&data, kCount * sizeof(int));
    hipMalloc(&total, sizeof(int));
    hipHostMalloc(&host, kCount * sizeof(int));
    hipMemset(total, 0, sizeof(int));
    hipDeviceSynchronize();
  }
};
void produce_and_consume(Machine& m, bool is_ordered) {
  fill<<<kCount / 256, 256, 0, m.a>>>(m.data, 3, kCount);
  if (is_ordered) {
    hipEventRecord(m.event, m.a);
    hipStreamWaitEvent(m.b, m.event, 0);
  }
  sum<<<1, 64, 0, m.b>>>(m.data, m.total, kCount);
  hipDeviceSynchronize();
}
CASE(no_event) { Machine m; produce_and_consume(m, false); }
CASE(event) {
  Machine m;
  produce_and_consume(m, true);
  hipMemcpyAsync(m.host, m.total, sizeof(int), hipMemcpyDeviceToHost, m.b);
  hipStreamSynchronize(m.b);
  V(m.host[0]);
}
void copy_back(Machine& m, bool is_waited_for) {
  fill<<<kCount / 256, 256, 0, m.a>>>(m.data, 7, kCount);
  hipMemcpyAsync(m.host, m.data, kCount * sizeof(int), hipMemcpyDeviceToHost, m.a);
  if (is_waited_for) hipStreamSynchronize(m.a);
  V(m.host[kCount - 1]);
  hipDeviceSynchronize();
}
CASE(no_wait) { Machine m; copy_back(m, false); }
CASE(wait) { Machine m; copy_back(m, true); }
CASE(copy_into_use) {
  Machine m;
  fill<<<kCount / 256, 256, 0, m.a>>>(m.data, 7, kCount);
  hipMemcpyAsync(m.data, m.host, kCount * sizeof(int), hipMemcpyHostToDevice, m.b);
  hipDeviceSynchronize();
}
CASE(no_wait_by_library) {
  Machine m;
  hipMemset(m.data, 0, kCount * sizeof(int));
  hipDeviceSynchronize();
  hipMemcpyAsync(m.host, m.data, kCount * sizeof(int), hipMemcpyDeviceToHost, m.a);
  std::vector<int> own(kCount);
  std::memcpy(own.data(), m.host, kCount * sizeof(int));  // by memcpy
  hipMemcpyAsync(m.host, m.data, kCount * sizeof(int), hipMemcpyDeviceToHost, m.a);
  V(std::strlen(reinterpret_cast<char*>(m.host)));  // by strlen
  hipMemcpyAsync(m.host, m.data, kCount * sizeof(int), hipMemcpyDeviceToHost, m.a);
  std::copy_n(own.begin(), 5, m.host);  // by copy_n
  hipDeviceSynchronize();
}
CASE(refill) {
  Machine m;
  hipMemcpyAsync(m.data, m.host, kCount * sizeof(int), hipMemcpyHostToDevice, m.a);
  m.host[5] = 9;
  hipDeviceSynchronize();
}
CASE(freed_while_closed) {
  Machine m;
  hipMemcpyAsync(m.host, m.data, kCount * sizeof(int), hipMemcpyDeviceToHost, m.a);
  T(hipHostFree(m.host));
  int* again;
  T(hipHostMalloc(&again, kCount * sizeof(int)));
  again[0] = 1;
  V(again[0]);
}
CASE(default_stream) {
  Machine m;
  hipStream_t blocking;
  hipStreamCreate(&blocking);
  fill<<<kCount / 256, 256, 0, blocking>>>(m.data, 1, kCount);
  sum<<<1, 64>>>(m.data, m.total, kCount);
  fill<<<kCount / 256, 256, 0, blocking>>>(m.data, 2, kCount);
  hipMemcpy(m.host, m.total, sizeof(int), hipMemcpyDeviceToHost);
  V(m.host[0]);
}
CASE(double_buffer) {
  Machine m;
  int* parts[2] = {m.data, m.data + kCount / 2};
  hipEvent_t done[2];
  for (hipEvent_t& one : done) hipEventCreate(&one);
  for (int i = 0; i < 8; ++i) {
    hipStreamWaitEvent(m.a, done[i % 2], 0);
    fill<<<kCount / 512, 256, 0, m.a>>>(parts[i % 2], i, kCount / 2);
    hipEventRecord(m.event, m.a);
    hipStreamWaitEvent(m.b, m.event, 0);
    sum<<<1, 64, 0, m.b>>>(parts[i % 2], m.total, kCount / 2);
    hipEventRecord(done[i % 2], m.b);
  }
  hipMemcpyAsync(m.host, m.total, sizeof(int), hipMemcpyDeviceToHost, m.b);
  hipEventRecord(m.event, m.b);
  while (hipEventQuery(m.event) == hipErrorNotReady) usleep(10);
  V(m.host[0]);
}
"""


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(sysroot, tmp_path_factory.mktemp("races"), CASES)


def line_of(text: str) -> int:
    """Return the line of the program that holds a text; its lines count from the first case."""
    return next(number for number, line in enumerate(CASES.split("\n"), 1) if text in line)


def test_an_event_that_is_missing_when_two_streams_use_memory(program: Program) -> None:
    [found] = program.run("no_event").findings
    assert found["code"] == "EMU007"
    assert "sum" in found["text"]
    assert "fill" in found["text"]
    assert "an allocation of 16384 bytes" in found["text"]
    lines = {found["at"]["line"], found["also"][0]["line"]}
    assert lines == {line_of("m.data, 3, kCount"), line_of("sum<<<1, 64, 0, m.b>>>(m.data")}
    assert found["also"][1]["label"] == "the memory was allocated here"


def test_an_event_that_is_there_when_two_streams_use_memory(program: Program) -> None:
    ran = program.run("event")
    assert ran.lines == [str(3 * 4096)]
    assert ran.findings == []


def test_a_wait_that_is_missing_when_the_host_reads(program: Program) -> None:
    ran = program.run("no_wait")
    [found] = ran.findings
    assert found["code"] == "EMU008"
    assert "the host reads byte 16380 of pinned memory of 16384 bytes" in found["text"]
    assert found["at"]["line"] == line_of("V(m.host[kCount - 1])")
    assert found["also"][0]["line"] == line_of("hipMemcpyAsync(m.host, m.data, kCount")
    assert ran.lines == ["7"]  # the host went on when the copy was done


def test_a_wait_that_is_there_when_the_host_reads(program: Program) -> None:
    ran = program.run("wait")
    assert ran.lines == ["7"]
    assert ran.findings == []


def test_a_copy_when_a_kernel_of_another_stream_writes(program: Program) -> None:
    [found] = program.run("copy_into_use").findings
    assert found["code"] == "EMU007"


def test_a_wait_that_is_missing_when_the_host_writes(program: Program) -> None:
    [found] = program.run("refill").findings
    assert found["code"] == "EMU008"
    assert "the host writes byte 20" in found["text"]
    assert found["at"]["line"] == line_of("m.host[5] = 9")


def test_a_wait_that_is_missing_when_a_library_touches_the_memory(program: Program) -> None:
    found = program.run("no_wait_by_library").findings
    assert [each["code"] for each in found] == ["EMU008"] * 3
    assert [each["at"]["line"] for each in found] == [
        line_of(f"// by {function}") for function in ("memcpy", "strlen", "copy_n")
    ]
    notes = [each["also"][-1]["label"] for each in found]
    assert notes[0] == "it is done in memcpy or memmove"
    assert notes[1] == "it is done in strlen"


def test_a_wait_that_is_missing_when_the_c_library_is_fortified(
    sysroot: Sysroot, tmp_path: Path
) -> None:
    """Its memcpy is then an inline function of a header, as Ubuntu's compiler has it by itself."""
    program = build(sysroot, tmp_path, CASES, "-O2", "-D_FORTIFY_SOURCE=2")
    found = program.run("no_wait_by_library").findings
    assert [each["at"]["line"] for each in found] == [
        line_of(f"// by {function}") for function in ("memcpy", "strlen", "copy_n")
    ]


def test_pinned_memory_when_it_is_freed_before_anybody_waited(program: Program) -> None:
    ran = program.run("freed_while_closed")
    assert ran.lines == ["hipSuccess", "hipSuccess", "1"]
    assert ran.findings == []


@pytest.mark.parametrize(("case", "total"), [("default_stream", 4096), ("double_buffer", 57344)])
def test_programs_when_they_order_their_work(program: Program, case: str, total: int) -> None:
    ran = program.run(case)
    assert ran.lines == [str(total)]
    assert ran.findings == []
