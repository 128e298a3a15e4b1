/**
 * The value under a claim's name, or under names with `.` between for a nested one (I10). Names may have dots themselves
 * (`https://example.org/roles`, `resource_access.my.app.roles`): every reading is tried, the whole as one name first, and the first that is there counts.
 */
export function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined;
  if (Object.hasOwn(claims, path)) return (claims as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (!Object.hasOwn(claims, name)) continue;
    const found = claimAt((claims as Record<string, unknown>)[name], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
