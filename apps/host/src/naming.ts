export type Reached = <T>(ask: () => Promise<T>) => Promise<T>;

/**
 * The same port, a plain object of asynchronous methods, with the outages of the database behind it named by `reached`: a caller is told
 * to come back, and not that something unexpected failed.
 */
export const naming = <P extends object>(port: P, reached: Reached): P =>
  Object.fromEntries(
    Object.entries(port as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, method]) => [
      name,
      (...args: unknown[]) => reached(() => method(...args)),
    ]),
  ) as P;
