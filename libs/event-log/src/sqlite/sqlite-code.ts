/** SQLite's result code of an error it threw, such as `SQLITE_FULL`. By name: each copy of the driver has an error class of its own. */
export function sqliteCodeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}
