/** Types of links.mjs, for tests. */
export interface Relinking {
  readonly path: string;
  readonly text: string;
  readonly pageOf: (path: string) => string | undefined;
  readonly fileOf: (path: string) => string | undefined;
}
export interface Relinked {
  readonly text: string;
  readonly wanted: readonly { page: string; part: string | undefined; target: string }[];
  readonly dead: readonly string[];
}
export function relinked(document: Relinking): Relinked;
export function slugsOf(text: string): readonly string[];
export function slugOf(heading: string): string;
