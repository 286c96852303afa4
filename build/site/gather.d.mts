/** Types of gather.mjs, for tests. */
export interface Page {
  readonly path: string;
  readonly place: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}
export interface Section {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly pages: readonly Page[];
}
export function gathered(root: string): {
  readonly sections: readonly Section[];
  readonly pages: readonly Page[];
  readonly files: ReadonlyMap<string, string>;
};
