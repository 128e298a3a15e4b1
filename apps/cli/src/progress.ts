import { Presets, SingleBar } from 'cli-progress';

/** How far a long command is, on stderr. */
export interface Progress {
  /** `total` may grow while a log is written to. */
  update(done: number, total: number): void;
  stop(): void;
}

export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A bar with count, rate and time left in a terminal, else a line at each further tenth (X0). `unit` names what is counted. */
export function progressOn(
  stream: ProgressStream,
  what: string,
  { unit = 'records', now = () => performance.now() }: { readonly unit?: string; readonly now?: () => number } = {},
): Progress {
  return stream.isTTY ? bar(stream, what, unit, now) : lines(stream, what, unit, now);
}

const perSecond = (done: number, startedAt: number, now: () => number) => Math.round(done / Math.max(0.001, (now() - startedAt) / 1000));

function bar(stream: ProgressStream, what: string, unit: string, now: () => number): Progress {
  const single = new SingleBar(
    {
      format: `${what} {bar} {percentage}% | {value} of {total} ${unit} | {rate}/s | {eta_formatted} left`,
      stream: stream as NodeJS.WritableStream,
      // Its own handler of Ctrl-C would keep the first one from ending the command.
      gracefulExit: false,
      etaBuffer: 50,
    },
    Presets.shades_classic,
  );
  const startedAt = now();
  let isStarted = false;
  return {
    update(done, total) {
      if (!isStarted) single.start(total, done, { rate: 0 });
      isStarted = true;
      single.setTotal(total);
      single.update(done, { rate: perSecond(done, startedAt, now) });
    },
    stop: () => single.stop(),
  };
}

function lines(stream: ProgressStream, what: string, unit: string, now: () => number): Progress {
  const startedAt = now();
  let told = 0;
  return {
    update(done, total) {
      const tenth = total === 0 ? 10 : Math.floor((done / total) * 10);
      if (tenth <= told) return;
      told = tenth;
      const rate = perSecond(done, startedAt, now);
      stream.write(`${what}: ${done} of ${total} ${unit}, ${rate}/s, ${Math.ceil((total - done) / Math.max(1, rate))} s left\n`);
    },
    stop: () => undefined,
  };
}
