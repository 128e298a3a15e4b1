const Sequencer = require('@jest/test-sequencer').default;

/** Whole systems first, so that the run does not end with one of them alone on one core. A fresh checkout has no times of earlier runs to sort by. */
const longest = [/test\/(cluster|faults)\//, /test\/e2e\/refusals|kafka-commands/, /test\/e2e\//, /\.int\.spec/];
const rank = ({ path }) => longest.findIndex((pattern) => pattern.test(path)) >>> 0;

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
};
