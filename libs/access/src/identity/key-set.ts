import type { CryptoKey, JWTHeaderParameters } from 'jose';
import { publishedKeys, type PublishedKeys } from './published-keys.js';
import { VerifierUnavailableError } from './verifier.js';

export interface KeySetOptions {
  /** Fetches the set; whatever it throws means that it could not be had. */
  readonly fetch: () => Promise<unknown>;
  readonly onFailure: (cause: unknown) => void;
  /** Monotonic, in ms. */
  readonly now: () => number;
  /** Past it keys are not used any more, so that a withdrawn one stops working (I10). */
  readonly maxAgeMs: number;
  /** Keys nobody published cost at most one fetch in this time (I10). */
  readonly coolDownMs: number;
}

/** How long a set that could not be had is left alone. */
const RETRY_MS = 1000;

/**
 * The keys an issuer publishes: fetched when first needed, once for many waiters (I7), again when a token names one that is not there, and from
 * half of their age on in the background, so that no caller waits for that.
 */
export class KeySet {
  #keys: PublishedKeys | undefined;
  #fetchedAt = -Infinity;
  #failure: VerifierUnavailableError | undefined;
  #failedAt = -Infinity;
  #missedAt = -Infinity;
  #fetching: Promise<void> | undefined;

  constructor(private readonly options: KeySetOptions) {}

  /**
   * The keys that a token with this header may have been signed with; none for one that nobody published.
   * @throws VerifierUnavailableError while that cannot be known
   */
  async fitting(header: JWTHeaderParameters): Promise<CryptoKey[]> {
    const { maxAgeMs, coolDownMs, now } = this.options;
    const isOld = this.#age >= maxAgeMs;
    if (isOld) await this.#fetchUnlessFailing();
    else if (this.#age >= maxAgeMs / 2 && this.#mayRetry(coolDownMs)) this.#fetch().catch(() => undefined);
    const found = await this.#keys!(header);
    if (found.length > 0 || isOld) return found;
    if (!this.#fetching) {
      if (now() - this.#missedAt < coolDownMs) {
        // The last fetch failed, so the key may be there by now: the token is not judged.
        if (this.#failure) throw this.#failure;
        return found;
      }
      this.#missedAt = now();
    }
    await this.#fetch();
    return this.#keys!(header);
  }

  get #age(): number {
    return this.options.now() - this.#fetchedAt;
  }

  #mayRetry(afterMs: number): boolean {
    return !this.#failure || this.options.now() - this.#failedAt >= afterMs;
  }

  async #fetchUnlessFailing(): Promise<void> {
    if (!this.#fetching && !this.#mayRetry(RETRY_MS)) throw this.#failure!;
    await this.#fetch();
  }

  #fetch(): Promise<void> {
    this.#fetching ??= this.#load().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #load(): Promise<void> {
    try {
      this.#keys = publishedKeys(await this.options.fetch());
      this.#fetchedAt = this.options.now();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = new VerifierUnavailableError(error);
      this.#failedAt = this.options.now();
      this.options.onFailure(error);
      throw this.#failure;
    }
  }
}
