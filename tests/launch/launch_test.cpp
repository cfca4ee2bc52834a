// Binding and checking of launch arguments, grids, and the distribution of programs.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <tilewright/launch/distribution.hpp>
#include <tilewright/launch/launch.hpp>

namespace tw = tilewright;

namespace {

struct all_kinds {
  static constexpr void body(tw::lang&, tw::ptr<const float>, tw::ptr<std::int16_t>, tw::i32,
                             tw::block<std::uint8_t>, tw::f32, tw::block<tw::f16>, tw::i1) {}
};

/// A target that hands back what it was given.
struct recording_target {
  template <tw::Kernel K>
  std::vector<tw::argument> run(const tw::grid&, std::span<const tw::argument> arguments) const {
    return {arguments.begin(), arguments.end()};
  }
};

/// The message that a launch fails with, or nothing.
template <class Launch>
std::string failure_of(const Launch& launch) {
  try {
    launch();
  } catch (const tw::error& e) {
    return e.what();
  }
  return {};
}

TEST(Launch, BindsEachKindOfArgument) {
  const std::vector<float> x(3);
  std::int16_t y[2] = {};
  const auto bound =
      tw::launch<all_kinds>(recording_target{}, tw::grid(1), x, y, 7L, 200, 2, 1.5f, true);
  ASSERT_EQ(bound.size(), 7u);
  EXPECT_TRUE(bound[0].pointer);
  EXPECT_EQ(bound[0].type, tw::dtype::f32);
  EXPECT_EQ(bound[0].address, x.data());
  EXPECT_EQ(bound[0].elements, 3);
  EXPECT_EQ(bound[1].address, y);
  EXPECT_EQ(bound[1].elements, -1) << "a pointer has no size";
  EXPECT_EQ(bound[2].bits, 7u);
  EXPECT_EQ(bound[3].bits, 200u);
  EXPECT_EQ(bound[4].bits, 0x40000000u);  // 2.0f
  EXPECT_EQ(bound[5].bits, 0x3e00u);      // 1.5 in f16
  EXPECT_EQ(bound[6].bits, 1u);
}

TEST(Launch, AcceptsSpansAndMemoryWithoutContents) {
  std::vector<std::int16_t> y(5);
  const auto bound =
      tw::launch<all_kinds>(recording_target{}, tw::grid(1), tw::unbacked<float>{1000},
                            std::span(y).subspan(1), 0, 0, 0.0, 0.0f, false);
  EXPECT_EQ(bound[0].address, nullptr);
  EXPECT_EQ(bound[0].elements, 1000);
  EXPECT_EQ(bound[1].address, y.data() + 1);
  EXPECT_EQ(bound[1].elements, 4);
}

TEST(Launch, RejectsWhatCannotBeRight) {
  std::vector<float> x(3);
  std::vector<std::int16_t> y(3);
  const auto launch = [&](const tw::grid& programs, const float* first, std::int64_t third,
                          int fourth) {
    return failure_of([&] {
      tw::launch<all_kinds>(recording_target{}, programs, first, y, third, fourth, 0, 0, false);
    });
  };
  EXPECT_EQ(launch(tw::grid(1), x.data(), 0, 0), "");
  EXPECT_EQ(launch(tw::grid(-1), x.data(), 0, 0), "launch: a grid axis is negative");
  EXPECT_EQ(launch(tw::grid(1, std::int64_t{1} << 31), x.data(), 0, 0),
            "launch: a grid axis exceeds 2^31 - 1");
  EXPECT_EQ(launch(tw::grid(1), nullptr, 0, 0), "launch: parameter 0 (ptr<f32>) is a null pointer");
  EXPECT_EQ(
      launch(tw::grid(1),
             reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2), 0, 0),
      "launch: parameter 0 (ptr<f32>) is not aligned to its element type");
  EXPECT_EQ(launch(tw::grid(1), x.data(), 5'000'000'000, 0),
            "launch: parameter 2 (i32): 5000000000 is outside its range");
  EXPECT_EQ(launch(tw::grid(1), x.data(), 0, 256),
            "launch: parameter 3 (u8): 256 is outside its range");
  EXPECT_EQ(launch(tw::grid(1), x.data(), 0, -1),
            "launch: parameter 3 (u8): -1 is outside its range");
}

TEST(Launch, ANegativeAxisIsAnErrorEvenBesideAnAxisOfZero) {
  std::vector<std::int16_t> y(3);
  EXPECT_EQ(failure_of([&] {
              tw::launch<all_kinds>(recording_target{}, tw::grid(0, -3), tw::unbacked<float>{1}, y,
                                    0, 0, 0, 0, false);
            }),
            "launch: a grid axis is negative");
}

TEST(Launch, AGridOfNothingNeedsNoPointers) {
  const float* none = nullptr;
  std::int16_t* nothing = nullptr;
  EXPECT_EQ(failure_of([&] {
              tw::launch<all_kinds>(recording_target{}, tw::grid(0), none, nothing, 0, 0, 0, 0,
                                    false);
            }),
            "");
}

TEST(Grid, NumbersProgramsWithTheFirstAxisFastest) {
  const tw::grid g(3, 4, 5);
  EXPECT_EQ(g.programs(), 60);
  std::int64_t linear = 0;
  for (int z = 0; z < 5; ++z) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 3; ++x, ++linear) {
        EXPECT_EQ(g.index(linear, 0), x);
        EXPECT_EQ(g.index(linear, 1), y);
        EXPECT_EQ(g.index(linear, 2), z);
      }
    }
  }
}

TEST(Grid, AxesAndTheirProductHaveLimits) {
  const std::int64_t most = (std::int64_t{1} << 31) - 1;
  EXPECT_EQ(tw::grid(most).problem(), nullptr);
  EXPECT_EQ(tw::grid(most, 2).programs(), 2 * most);
  EXPECT_EQ(tw::grid(65536).problem(), nullptr);
  EXPECT_STREQ(tw::grid(most, most, 3).problem(), "the grid has more than 2^63 - 1 programs");
}

TEST(Cdiv, IsTheCeilingForEverySign) {
  for (std::int64_t x = -20; x <= 20; ++x) {
    for (std::int64_t y : {-7, -5, -2, -1, 1, 2, 5, 7}) {
      const std::int64_t q = tw::cdiv(x, y);
      // The ceiling c of x / y: c - 1 < x / y <= c.
      const double exact = static_cast<double>(x) / static_cast<double>(y);
      EXPECT_LE(exact, static_cast<double>(q));
      EXPECT_LT(static_cast<double>(q - 1), exact);
    }
  }
  EXPECT_EQ(tw::cdiv(-36, 5), -7);
}

TEST(Distribution, EachProgramRunsOnceAndCountsDifferByOneAtMost) {
  for (const auto how :
       {tw::distribution::linear, tw::distribution::round_robin, tw::distribution::zigzag}) {
    for (std::int64_t programs = 0; programs <= 40; ++programs) {
      for (std::int32_t pes = 1; pes <= 9; ++pes) {
        std::set<std::int64_t> seen;
        for (std::int32_t pe = 0; pe < pes; ++pe) {
          const std::int64_t count = tw::programs_on(how, programs, pes, pe);
          EXPECT_TRUE(count == programs / pes || count == programs / pes + 1);
          for (std::int64_t nth = 0; nth < count; ++nth) {
            const std::int64_t program = tw::program_on(how, programs, pes, pe, nth);
            EXPECT_TRUE(program >= 0 && program < programs);
            EXPECT_TRUE(seen.insert(program).second)
                << name_of(how) << " " << programs << " " << pes;
          }
        }
        EXPECT_EQ(std::ssize(seen), programs);
      }
    }
  }
}

TEST(Distribution, TheOrdersAreThoseOfTheirNames) {
  // 8 programs on 2 processing elements, by hand.
  const auto listed = [](tw::distribution how, std::int32_t pe) {
    std::vector<std::int64_t> list;
    for (std::int64_t nth = 0; nth < tw::programs_on(how, 8, 2, pe); ++nth) {
      list.push_back(tw::program_on(how, 8, 2, pe, nth));
    }
    return list;
  };
  EXPECT_EQ(listed(tw::distribution::linear, 0), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(listed(tw::distribution::linear, 1), (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(listed(tw::distribution::round_robin, 1), (std::vector<std::int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(listed(tw::distribution::zigzag, 0), (std::vector<std::int64_t>{0, 3, 4, 7}));
  EXPECT_EQ(listed(tw::distribution::zigzag, 1), (std::vector<std::int64_t>{1, 2, 5, 6}));
}

}  // namespace
