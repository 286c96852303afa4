/** The differences between two states of one item, by path. Pure. */

export interface StateDifference {
  /** `context.attempts`, `limits[0]`. */
  readonly path: string;
  /** As JSON; null if it did not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

/** People do not read more: in a large list that shifted, every place differs. */
const differencesMax = 500;

/** In the order of their paths; at most 500. */
export function differencesOf(before: unknown, after: unknown): readonly StateDifference[] {
  const old = leavesOf(before);
  const young = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...young.keys()])].sort();
  return paths
    .filter((path) => old.get(path) !== young.get(path))
    .slice(0, differencesMax)
    .map((path) => ({ path, before: old.get(path) ?? null, after: young.get(path) ?? null }));
}

/** Every value without parts, by its path; an empty object or list counts as one, too. */
function leavesOf(value: unknown, path = '', leaves = new Map<string, string>()) {
  const isWhole = typeof value !== 'object' || value === null;
  const parts = isWhole ? [] : Object.entries(value);
  if (parts.length === 0) {
    if (value !== undefined) leaves.set(path === '' ? 'it' : path, JSON.stringify(value));
    return leaves;
  }
  for (const [name, part] of parts) {
    const step = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    leavesOf(part, `${path}${step}`, leaves);
  }
  return leaves;
}
