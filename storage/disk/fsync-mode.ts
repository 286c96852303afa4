/**
 * When an append counts as durable; storage/README.md has the exact promise of each mode.
 * `intervalMs` is the time whose appends a power cut may lose.
 */
export type FsyncMode = 'strict' | { readonly intervalMs: number } | 'os';
