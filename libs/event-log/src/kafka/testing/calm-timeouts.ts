import type { KafkaTimeouts } from '../kafka-options.js';

/** For a busy machine: only a fault makes a request time out. */
export const calm: Partial<KafkaTimeouts> = {
  connect: 5_000,
  request: 8_000,
  produce: 15_000,
  append: 60_000,
  read: 60_000,
  beyondEnd: 1_000,
};

/** Of members that share partitions: a hung broker is left, and a lost member is missed, soon enough to wait for. */
export const shared: Partial<KafkaTimeouts> = {
  ...calm,
  request: 2_000,
  session: 4_000,
};
