/** Headers sent where a message does not say otherwise: a URL group's, to each of its endpoints. */

/**
 * `defaults`, but for those that `own` names in any case, followed by `own`; all are names and
 * values in turn (messaging.md 6: a publish's own headers override its group's).
 */
export function withDefaultHeaders(
  own: readonly string[],
  defaults: readonly string[],
): readonly string[] {
  if (defaults.length === 0) return own;
  const named = new Set<string>();
  for (let index = 0; index < own.length; index += 2) named.add((own[index] ?? '').toLowerCase());
  const all: string[] = [];
  for (let index = 0; index + 1 < defaults.length; index += 2) {
    const name = defaults[index] ?? '';
    if (!named.has(name.toLowerCase())) all.push(name, defaults[index + 1] ?? '');
  }
  return [...all, ...own];
}
