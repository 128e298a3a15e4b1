interface Registration {
  readonly identity: string;
  readonly callId: string;
  readonly openedAt: number;
  readonly cleanup: () => unknown;
  touchedAt: number;
  calls: number;
}

/** The straightforward tier: one array that is scanned at each registration, and sorted when it overflows. It writes no facts. */
export class ScanningTier {
  #registrations: Registration[] = [];

  constructor(
    private readonly live: number,
    private readonly idleMs: number,
  ) {}

  get count(): number {
    return this.#registrations.length;
  }

  register(identity: string, callId: string, cleanup: () => unknown): 'started' | 'reused' {
    const now = performance.now();
    const idle = this.#registrations.filter(({ touchedAt }) => now - touchedAt >= this.idleMs);
    for (const registration of idle) this.#end(registration);
    const found = this.#registrations.find((registration) => registration.identity === identity);
    if (found) {
      found.touchedAt = now;
      found.calls++;
      return 'reused';
    }
    if (this.#registrations.length >= this.live) this.#end([...this.#registrations].sort((a, b) => a.touchedAt - b.touchedAt)[0]!);
    this.#registrations.push({ identity, callId, openedAt: now, cleanup, touchedAt: now, calls: 1 });
    return 'started';
  }

  #end(registration: Registration): void {
    this.#registrations.splice(this.#registrations.indexOf(registration), 1);
    registration.cleanup();
  }
}
