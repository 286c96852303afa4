/** The labels of a message or a run, as text. */

/** All labels, of which `label` is the first; undefined if there are none. */
export function labelsText(of: {
  readonly label?: string | undefined;
  readonly labels?: readonly string[] | undefined;
}): string | undefined {
  const { label, labels = [] } = of;
  return label === undefined ? undefined : [...new Set([label, ...labels])].join(', ');
}
