/** The folders of the log engine from top to bottom; see `folders.ts`. */
export const storageFolders: readonly string[] = ['storage'];
