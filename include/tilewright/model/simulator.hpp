// The event-driven simulator behind run_program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tilewright/config.hpp>
#include <tilewright/device/device_spec.hpp>
#include <tilewright/error.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/distribution.hpp>
#include <tilewright/launch/grid.hpp>
#include <tilewright/launch/overlap.hpp>
#include <tilewright/model/counters.hpp>
#include <tilewright/model/deadlock.hpp>
#include <tilewright/model/event_queue.hpp>
#include <tilewright/model/execute.hpp>
#include <tilewright/model/issue.hpp>
#include <tilewright/model/machine.hpp>
#include <tilewright/model/memory_system.hpp>
#include <tilewright/model/options.hpp>
#include <tilewright/model/placement.hpp>
#include <tilewright/model/prepare.hpp>
#include <tilewright/model/report.hpp>
#include <tilewright/model/units.hpp>
#include <tilewright/model/waiting.hpp>
#include <tilewright/program/program.hpp>
#include <utility>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// One run of a program on a device.
///
/// How time passes:
/// - A core walks its list for each program id of its element in turn, on a clock of its own that
///   runs ahead of the units': only a full queue or its own vector work stops it. A scalar
///   instruction takes `scalar_cycles`, the end of an iteration `loop_cycles`, an issue the
///   command's `issue_cycles` and `pointer_update_cycles` for each pointer that moves.
/// - Each unit has a queue per core. When it is free it takes, of the queue heads that are issued
///   and ready, the one issued earliest (of core 0 in a tie). A command leaves its queue when it
///   starts.
/// - A command keeps its unit for `busy_cycles`; its result (push, pops) takes effect a latency
///   later, while the unit goes on.
/// - A load or store keeps its DMA unit while its bytes stream through the memory, at a rate shared
///   with all transfers of the device (`shared_memory`), and while it fills the lanes that it does
///   not load, at dma_bytes_per_cycle.
/// - At any time all completions come first and then the units that can start do, so that the
///   order of events within a cycle does not matter.
class simulator {
 public:
  simulator(const command_program& what, const device_spec& spec, const grid& programs,
            std::span<const argument> arguments, const model_options& options)
      : program_(what),
        spec_(spec),
        grid_(programs),
        arguments_(arguments),
        options_(options),
        functional_(options.mode == model_mode::functional) {
    check_program(what, spec);
    if (const char* const problem = programs.problem()) {
      fail((std::string("model: ") + problem).c_str());
    }
    check_arguments(what, programs, arguments, options);
    places_ = place_arguments(arguments, spec, options);
    memories_ = memories_of(spec);
    check_memories(what, places_, memories_);
    facts_ = facts_of(what, spec, places_);
    const std::uint32_t overlapping = overlapping_arguments(arguments);
    check_core_loads(what, overlapping);
    mark_ordered(what, overlapping, facts_);
    ends_ = ends_of(what, facts_);
    counters_.arguments.resize(arguments.size());
    build_elements();
  }

  report run() {
    for (std::int32_t pe = 0; pe < spec_.pe_count(); ++pe) {
      for (int core = 0; core < spec_.cores; ++core) advance_core(pe, core);
    }
    while (true) {
      while (!events_.empty() && events_.next_time() == now_) handle(events_.take());
      if (!to_try_.empty()) {
        try_units();
      } else if (events_.empty()) {
        break;
      } else {
        now_ = events_.next_time();
      }
    }
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
      if (!finished(pes_[pe])) fail(deadlock_message(program_, pes_, flights_, facts_).c_str());
    }
    for (std::size_t m = 0; m < memory_count; ++m) counters_.streamed[m] = memories_[m].streamed();
    return report_of(spec_, grid_.programs(), places_, pes_, counters_, std::move(slices_));
  }

 private:
  void build_elements() {
    const std::int64_t programs = grid_.programs();
    pes_.resize(static_cast<std::size_t>(spec_.pe_count()));
    for (std::int32_t pe = 0; pe < spec_.pe_count(); ++pe) {
      pe_state& element = element_of(pe);
      element.programs = programs_on(options_.how, programs, spec_.pe_count(), pe);
      for (core_state& core : element.cores) {
        core.registers.resize(static_cast<std::size_t>(program_.registers));
        core.is = core_state::status::ended;
      }
      element.units.resize(unit_count);
      element.buffers.resize(static_cast<std::size_t>(program_.buffers.size()));
      for (std::size_t u = 0; u < element.units.size(); ++u) {
        const std::int32_t depth = static_cast<unit>(u) == unit::vector ? 1 : spec_.queue_depth;
        element.units[u].queues.assign(max_cores, flight_queue(depth));
      }
      for (const command_facts& facts : facts_) {
        if (facts.rewritten < 0) continue;
        const buffer_index which = facts.uses[facts.rewritten].buffer;
        element.buffers[static_cast<std::size_t>(which)].slots.resize(
            static_cast<std::size_t>(program_.buffers[which].multiplier));
      }
      if (functional_ && element.programs > 0) {
        element.local.assign(static_cast<std::size_t>(spec_.local_bytes), std::byte{0xff});
        element.re.assign(static_cast<std::size_t>(spec_.re_accumulator_bytes), std::byte{0xff});
      }
    }
  }

  // ---- cores ------------------------------------------------------------------------------------

  /// Runs core `index` of an element until it is stopped or ends.
  void advance_core(std::int32_t pe, int index) {
    pe_state& element = element_of(pe);
    core_state& core = element.cores[index];
    const auto& list = program_.cores[index];
    if (core.nth < 0) {
      if (list.empty() || element.programs == 0) return;
      core.is = core_state::status::running;
      next_program(pe, element, core);
    }
    std::uint64_t* const registers = core.registers.data();
    while (core.is == core_state::status::running) {
      if (core.at == list.size()) {
        check_balance(element, index);
        next_program(pe, element, core);
        continue;
      }
      const instruction& step = list[core.at];
      switch (step.what) {
        case instruction::kind::scalar:
          registers[step.result] = scalar_result(step, core, grid_, arguments_);
          work(core, spec_.scalar_cycles);
          ++core.at;
          break;
        case instruction::kind::move:
          registers[step.result] = register_bits(core, step.operands[0]);
          work(core, spec_.scalar_cycles);
          ++core.at;
          break;
        case instruction::kind::load:
          load_scalar(step, core);
          ++core.at;
          break;
        case instruction::kind::loop: {
          registers[step.result] = register_bits(core, step.operands[0]);
          work(core, spec_.scalar_cycles);
          core.at = enters(step, core) ? core.at + 1 : step.target + 1;
          break;
        }
        case instruction::kind::end_loop: {
          const instruction& head = list[step.target];
          work(core, spec_.loop_cycles);
          core.at = goes_on(head, core) ? step.target + 1 : core.at + 1;
          registers[head.result] = evaluate(op::add, head.type, registers[head.result],
                                            register_bits(core, head.operands[2]));
          break;
        }
        case instruction::kind::issue: issue(pe, index, step.target); break;
        case instruction::kind::release: {
          work(core, spec_.scalar_cycles + spec_.pointer_update_cycles);
          buffer_state& ring = element.buffers[static_cast<std::size_t>(step.target)];
          ++ring.pops_issued;
          events_.add(event::kind::release, core.time, buffer_id(pe, step.target),
                      ring.readers.issue(true));
          ++core.at;
          break;
        }
      }
    }
    element.end = std::max(element.end, core.time);
  }

  void next_program(std::int32_t pe, const pe_state& element, core_state& core) {
    core.at = 0;
    if (++core.nth == element.programs) {
      core.is = core_state::status::ended;
      return;
    }
    core.program = program_on(options_.how, grid_.programs(), spec_.pe_count(), pe, core.nth);
  }

  /// Calls `fail` if the program that core `index` leaves has pushed more tiles into a buffer than it
  /// popped, or fewer: every program must leave the buffers as it found them. Where two cores share
  /// a buffer, the one that leaves last finds out.
  void check_balance(pe_state& element, int index) const {
    const core_state& core = element.cores[index];
    for (std::size_t b = 0; b < ends_.size(); ++b) {
      const auto [writer, reader] = ends_[b];
      if (index != writer && index != reader) continue;
      buffer_state& ring = element.buffers[b];
      std::int64_t pushes = ring.pushes_issued;
      std::int64_t pops = ring.pops_issued;
      if (writer != reader && writer >= 0 && reader >= 0) {
        const core_state& other = element.cores[index == writer ? reader : writer];
        if (other.nth <= core.nth) {
          ring.moved_ahead.push_back(index == writer ? pushes : pops);
          continue;
        }
        (index == writer ? pops : pushes) = ring.moved_ahead.front();
        ring.moved_ahead.pop_front();
      }
      if (pushes != pops) {
        fail(("model: program " + std::to_string(core.program) + " pushes " +
              std::to_string(pushes - ring.balanced) + " tiles into buffer " + std::to_string(b) +
              " (line " + std::to_string(program_.buffers[static_cast<std::int32_t>(b)].line) +
              ") and pops " + std::to_string(pops - ring.balanced))
                 .c_str());
      }
      ring.balanced = pushes;
    }
  }

  static void work(core_state& core, std::int64_t cycles) {
    core.time += cycles;
    core.account.busy += cycles;
  }

  /// A core's own load. The core waits for the memory; no store of the program can be under way to
  /// it (split_cores sees to that).
  void load_scalar(const instruction& step, core_state& core) {
    work(core, spec_.scalar_cycles);
    std::uint64_t& result = core.registers[static_cast<std::size_t>(step.result)];
    if (step.operands[1] >= 0 && register_bits(core, step.operands[1]) == 0) {
      result = register_bits(core, step.operands[2]);
      return;
    }
    const auto position = static_cast<std::size_t>(step.value);
    const argument& from = arguments_[position];
    const std::int64_t element = register_value(core, step.operands[0]);
    check_range(op::load, step.line, step.value, element, element, core.program);
    if (from.address == nullptr) {
      fail(("model: line " + std::to_string(step.line) +
            ": an address, a mask or a loop needs the value that is loaded here; give argument " +
            std::to_string(step.value) + " memory, in timing mode too")
               .c_str());
    }
    const std::int64_t size = size_of(step.type);
    shared_memory& memory = memories_[static_cast<std::size_t>(places_[position])];
    core.time += memory.latency();
    core.account.data += memory.latency();
    const std::byte* const address = static_cast<const std::byte*>(from.address) + element * size;
    result = with_element(step.type, [address]<class T>() {
      return to_bits(tilewright::detail::load_element<T>(address));
    });
  }

  /// Issues a command, or stops the core when the queue is full or the work is its own.
  void issue(std::int32_t pe, int index, command_index which) {
    pe_state& element = element_of(pe);
    core_state& core = element.cores[index];
    const command& what = program_.commands[which];
    const command_facts& facts = facts_[static_cast<std::size_t>(which)];
    unit_state& target = element.units[static_cast<std::size_t>(what.where)];
    flight_queue& queue = target.queues[static_cast<std::size_t>(index)];
    if (!core.prepared) {
      // Setting the command up takes its time whether or not there is room for it then.
      work(core, facts.issue_cycles);
      core.prepared = true;
      if (tracing(pe)) {
        slices_.push_back({pe, static_cast<track>(index), true, what.code, what.line,
                           core.time - facts.issue_cycles, core.time, core.program});
      }
    }
    if (queue.full()) {
      core.is = core_state::status::queue_full;
      core.full_unit = what.where;
      return;
    }
    core.prepared = false;
    const bool first = queue.empty();
    queue.push(make_flight(pe, index, which));
    ++counters_.commands;
    ++core.at;
    if (what.where == unit::vector) core.is = core_state::status::at_work;
    if (first && !target.working) wake_at(pe, what.where, core.time);
  }

  void wake_at(std::int32_t pe, unit which, std::int64_t time) {
    unit_state& state = element_of(pe).units[static_cast<std::size_t>(which)];
    if (time <= now_) {
      try_later(pe, which);
    } else if (state.next_wake <= now_ || time < state.next_wake) {
      state.next_wake = time;
      events_.add(event::kind::wake, time, unit_id(pe, which));
    }
  }

  /// Takes the values that the command needs from the core's registers and numbers its tiles.
  std::uint32_t make_flight(std::int32_t pe, int index, command_index which) {
    std::uint32_t id = 0;
    if (free_flights_.empty()) {
      id = static_cast<std::uint32_t>(flights_.size());
      flights_.emplace_back();
      if (functional_) values_.emplace_back();
    } else {
      id = free_flights_.back();
      free_flights_.pop_back();
    }
    pe_state& element = element_of(pe);
    const core_state& core = element.cores[index];
    const command& what = program_.commands[which];
    const command_facts& facts = facts_[static_cast<std::size_t>(which)];
    flight& made = flights_[id];
    made.pe = pe;
    made.command = which;
    made.core = static_cast<std::uint8_t>(index);
    made.issued = core.time;
    made.program = core.program;

    const lanes on = lanes_of(what, core);
    if (facts.transfers) {
      address(made, what, on, core, spec_);
    } else {
      made.busy = busy_cycles(what, on, spec_);
      counters_.count(what, on, spec_);
    }
    if (functional_) take_values(values_[id], what, on, core);
    number_tiles(element, facts, made);
    if (facts.ordered) {
      const argument& where = arguments_[static_cast<std::size_t>(what.argument)];
      element.ordered.push_back(
          {id, made.program, what.argument, what.code == op::store, box_of(what, on, core, where)});
    }
    return id;
  }

  // ---- units ------------------------------------------------------------------------------------

  void try_later(std::int32_t pe, unit which) {
    unit_state& state = element_of(pe).units[static_cast<std::size_t>(which)];
    if (state.queued || state.working) return;
    state.queued = true;
    to_try_.push_back(unit_id(pe, which));
  }

  void try_units() {
    // Starting a command can let a core issue more, which adds units to this list.
    for (std::size_t i = 0; i < to_try_.size(); ++i) {
      const std::uint32_t id = to_try_[i];
      const std::int32_t pe = static_cast<std::int32_t>(id / unit_count);
      const unit which = static_cast<unit>(id % unit_count);
      element_of(pe).units[id % unit_count].queued = false;
      try_unit(pe, which);
    }
    to_try_.clear();
  }

  void try_unit(std::int32_t pe, unit which) {
    pe_state& element = element_of(pe);
    unit_state& state = element.units[static_cast<std::size_t>(which)];
    int best = -1;
    std::int64_t best_issue = 0;
    stall why = stall::issue;
    std::int64_t stalled_issue = 0;
    for (int core = 0; core < spec_.cores; ++core) {
      const flight_queue& queue = state.queues[static_cast<std::size_t>(core)];
      if (queue.empty()) continue;
      const std::uint32_t id = queue.front();
      const flight& head = flights_[id];
      if (head.issued > now_) {
        wake_at(pe, which, head.issued);
        continue;
      }
      const stall reason = waits_for(element, flights_, id, facts_, program_, arguments_);
      if (reason == stall::none) {
        if (best < 0 || head.issued < best_issue) {
          best = core;
          best_issue = head.issued;
        }
      } else if (why == stall::issue || head.issued < stalled_issue) {
        why = reason;
        stalled_issue = head.issued;
      }
    }
    if (best >= 0) {
      start(pe, which, best);
    } else {
      change_state(state, why);
    }
  }

  void change_state(unit_state& state, stall why) const {
    book_cycles(state, now_);
    state.why = why;
  }

  void start(std::int32_t pe, unit which, int core_index) {
    pe_state& element = element_of(pe);
    unit_state& state = element.units[static_cast<std::size_t>(which)];
    core_state& core = element.cores[core_index];
    flight_queue& queue = state.queues[static_cast<std::size_t>(core_index)];
    const std::uint32_t id = queue.front();
    queue.pop();
    flight& now_flying = flights_[id];
    now_flying.started = now_;
    change_state(state, stall::none);
    state.working = true;
    if (facts_[static_cast<std::size_t>(now_flying.command)].transfers) {
      start_transfer(pe, id);
    } else {
      if (which == unit::dpe && state.last_end != now_ && now_flying.busy > 0) {
        now_flying.busy += spec_.dpe_fill_latency;
      }
      events_.add(event::kind::unit_free, now_ + now_flying.busy, unit_id(pe, which), id);
    }
    if (core.is == core_state::status::queue_full && core.full_unit == which) {
      // The core found the queue full and now has room; `now_flying` may move in memory.
      core.is = core_state::status::running;
      core.account.space += std::max<std::int64_t>(0, now_ - core.time);
      core.time = std::max(core.time, now_);
      advance_core(pe, core_index);
    }
  }

  void start_transfer(std::int32_t pe, std::uint32_t id) {
    const flight& moving = flights_[id];
    const command& what = program_.commands[moving.command];
    check_range(what, moving);
    const bool writes = what.code == op::store;
    counters_.move(what.argument, moving, size_of(what.type), writes);
    if (moving.bytes == 0) {
      events_.add(event::kind::unit_free, now_ + moving.busy, unit_id(pe, what.where), id);
      return;
    }
    const std::size_t where = memory_of(what);
    element_of(pe).dma_cycles[writes ? 1 : 0] +=
        moving.busy + memories_[where].cycles_alone(moving.bytes);
    memories_[where].start(now_, moving.bytes, id);
    wake_memory(where);
  }

  std::size_t memory_of(const command& what) const {
    return static_cast<std::size_t>(places_[static_cast<std::size_t>(what.argument)]);
  }

  void wake_memory(std::size_t which) {
    const std::int64_t time = memories_[which].next_end();
    if (time < 0) return;
    std::int64_t& next = memory_wakes_[which];
    if (next > now_ && next <= time) return;
    next = std::max(time, now_);
    events_.add(event::kind::memory_wake, next, static_cast<std::uint32_t>(which));
  }

  void check_range(const command& what, const flight& moving) const {
    if (moving.bytes == 0) return;
    check_range(what.code, what.line, what.argument, moving.low, moving.high, moving.program);
  }
  void check_range(op what, std::int32_t line, std::int64_t position, std::int64_t low,
                   std::int64_t high, std::int64_t program) const {
    const std::int64_t elements = arguments_[static_cast<std::size_t>(position)].elements;
    if (elements < 0 || (low >= 0 && high < elements)) return;
    fail(("model: the " + std::string(name_of(what)) + " of line " + std::to_string(line) +
          " touches elements " + std::to_string(low) + " to " + std::to_string(high) +
          " of argument " + std::to_string(position) + ", which has " + std::to_string(elements) +
          " (program " + std::to_string(program) + ")")
             .c_str());
  }

  // ---- events -----------------------------------------------------------------------------------

  void handle(const event& happened) {
    switch (happened.what) {
      case event::kind::wake:
        try_later(static_cast<std::int32_t>(happened.index / unit_count),
                  static_cast<unit>(happened.index % unit_count));
        break;
      case event::kind::unit_free: free_unit(static_cast<std::uint32_t>(happened.flight)); break;
      case event::kind::complete: complete(static_cast<std::uint32_t>(happened.flight)); break;
      case event::kind::release: {
        const std::size_t buffers = static_cast<std::size_t>(program_.buffers.size());
        const std::int32_t pe = static_cast<std::int32_t>(happened.index / buffers);
        buffer_state& ring = element_of(pe).buffers[happened.index % buffers];
        ring.readers.finish(happened.flight);
        take_effects(pe, ring);
        break;
      }
      case event::kind::memory_wake: {
        const std::size_t which = happened.index;
        memories_[which].take_finished(now_, [&](std::uint32_t id) {
          const flight& moved = flights_[id];
          if (moved.busy == 0) {
            free_unit(id);
          } else {
            events_.add(event::kind::unit_free, now_ + moved.busy,
                        unit_id(moved.pe, program_.commands[moved.command].where), id);
          }
        });
        wake_memory(which);
        break;
      }
    }
  }

  /// The unit of a flight is done with it.
  void free_unit(std::uint32_t id) {
    const flight& ended = flights_[id];
    const std::int32_t pe = ended.pe;
    const command_facts& facts = facts_[static_cast<std::size_t>(ended.command)];
    const command& what = program_.commands[ended.command];
    const unit which = what.where;
    unit_state& state = element_of(pe).units[static_cast<std::size_t>(which)];
    if (tracing(pe) && now_ > ended.started) {
      const track where = which == unit::vector ? static_cast<track>(ended.core) : track_of(which);
      slices_.push_back(
          {pe, where, false, what.code, what.line, ended.started, now_, ended.program});
    }
    if (which == unit::vector) {
      element_of(pe).cores[ended.core].account.busy += now_ - ended.started;
    }
    // What the unit does next is known once all that happens now has happened.
    change_state(state, stall::issue);
    state.working = false;
    state.last_end = now_;
    try_later(pe, which);
    if (facts.latency > 0) {
      events_.add(event::kind::complete, now_ + facts.latency, 0, id);
    } else {
      complete(id);
    }
  }

  void complete(std::uint32_t id) {
    const flight done = flights_[id];
    const command& what = program_.commands[done.command];
    const command_facts& facts = facts_[static_cast<std::size_t>(done.command)];
    pe_state& element = pes_[static_cast<std::size_t>(done.pe)];
    if (functional_) execute(element, what, facts, done, values_[id]);
    element.end = std::max(element.end, now_);
    free_flights_.push_back(id);
    if (facts.ordered) finish_ordered(element, done.pe, id);

    for (int i = 0; i < facts.use_count; ++i) {
      buffer_state& ring = element.buffers[static_cast<std::size_t>(facts.uses[i].buffer)];
      ring.readers.finish(done.readers[i]);
      if (!ring.slots.empty()) {
        slot_counts& slot = slot_of(ring, done.tiles[i]);
        ++(i == facts.rewritten ? slot.rewrites_done : slot.readers_done);
        wake_waiting(done.pe, ring);
      }
      take_effects(done.pe, ring);
    }
    if (facts.output >= 0) {
      buffer_state& ring = element.buffers[static_cast<std::size_t>(facts.output)];
      ring.writers.finish(done.writer);
      take_effects(done.pe, ring);
    }
    if (what.where == unit::vector) {
      core_state& core = element.cores[done.core];
      core.is = core_state::status::running;
      core.time = now_;
      advance_core(done.pe, done.core);
    }
  }

  void finish_ordered(pe_state& element, std::int32_t pe, std::uint32_t id) {
    std::erase_if(element.ordered,
                  [&](const ordered_transfer& transfer) { return transfer.flight == id; });
    wake(pe, element.order_waiting);
  }

  /// Moves the pointers of a buffer as far as finished commands allow.
  void take_effects(std::int32_t pe, buffer_state& ring) {
    const std::int64_t pushes = ring.writers.take(no_limit);
    ring.pushed += pushes;
    const std::int64_t pops = ring.readers.take(ring.pushed - ring.popped);
    ring.popped += pops;
    if (pushes + pops > 0) wake_waiting(pe, ring);
  }

  void wake_waiting(std::int32_t pe, buffer_state& ring) { wake(pe, ring.waiting); }
  /// Tries the units of the set again, and empties it.
  void wake(std::int32_t pe, std::uint32_t& units) {
    std::uint32_t waiting = units;
    units = 0;
    for (int u = 0; waiting != 0; ++u, waiting >>= 1) {
      if ((waiting & 1u) != 0) try_later(pe, static_cast<unit>(u));
    }
  }

  void execute(pe_state& element, const command& what, const command_facts& facts,
               const flight& done, const issued_values& values) {
    std::byte* inputs[3]{};
    std::byte* output = nullptr;
    for (int i = 0; i < facts.use_count; ++i) {
      const tile_use& use = facts.uses[i];
      inputs[use.slot] = tile_address(element, use.buffer, done.tiles[i]);
      if (i == facts.rewritten) output = inputs[use.slot];
    }
    if (facts.output >= 0) output = tile_address(element, facts.output, done.output);
    std::byte* const memory =
        facts.transfers
            ? static_cast<std::byte*>(arguments_[static_cast<std::size_t>(what.argument)].address)
            : nullptr;
    executor_.run(what, values, inputs, output, memory);
  }

  std::byte* tile_address(pe_state& element, buffer_index which, std::int64_t tile) const {
    const buffer& ring = program_.buffers[which];
    std::byte* const base =
        ring.space == memory_space::re ? element.re.data() : element.local.data();
    return base + ring.offset + tile % ring.multiplier * ring.tile_bytes();
  }

  // ---- small things -----------------------------------------------------------------------------

  pe_state& element_of(std::int32_t pe) { return pes_[static_cast<std::size_t>(pe)]; }

  static constexpr std::int64_t no_limit = INT64_MAX;

  static std::uint32_t unit_id(std::int32_t pe, unit which) {
    return static_cast<std::uint32_t>(pe * unit_count + static_cast<int>(which));
  }
  std::uint32_t buffer_id(std::int32_t pe, std::int32_t which) const {
    return static_cast<std::uint32_t>(pe * program_.buffers.size() + which);
  }
  bool tracing(std::int32_t pe) const {
    return options_.trace && (options_.trace_pes.empty() ||
                              std::find(options_.trace_pes.begin(), options_.trace_pes.end(), pe) !=
                                  options_.trace_pes.end());
  }

  const command_program& program_;
  const device_spec& spec_;
  const grid grid_;
  std::span<const argument> arguments_;
  const model_options& options_;
  bool functional_;
  std::vector<memory> places_;
  std::vector<command_facts> facts_;
  std::vector<buffer_ends> ends_;        // by buffer
  std::vector<shared_memory> memories_;  // by `memory`
  std::int64_t memory_wakes_[memory_count]{};
  event_queue events_;
  std::int64_t now_ = 0;
  std::vector<pe_state> pes_;
  std::vector<flight> flights_;
  std::vector<issued_values> values_;  // beside `flights_`, in functional mode
  std::vector<std::uint32_t> free_flights_;
  std::vector<std::uint32_t> to_try_;
  counters counters_;
  executor executor_;
  std::vector<trace_slice> slices_;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
