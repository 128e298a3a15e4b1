const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Hears SIGTERM and SIGINT from the moment it is made. */
export class StopSignals {
  #count = 0;
  #onFirst!: () => void;
  #onSecond!: () => void;
  readonly first = new Promise<void>((resolve) => (this.#onFirst = resolve));
  readonly #second = new Promise<'forced'>((resolve) => (this.#onSecond = () => resolve('forced')));
  readonly #hear = () => {
    this.#count++;
    if (this.#count === 1) this.#onFirst();
    else this.#onSecond();
  };

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#hear);
  }

  get isStopping(): boolean {
    return this.#count > 0;
  }

  /** Waits for `work`, but not past a second signal nor longer than `timeoutMs`. Rejects as `work` does. */
  async orSecond(work: Promise<void>, timeoutMs: number): Promise<'done' | 'forced' | 'late'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, timeoutMs, 'late')));
    try {
      return await Promise.race([work.then(() => 'done' as const), this.#second, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#hear);
  }
}
