/** When an append counts as durable; storage/README.md has the exact promise of each mode. */

export type FsyncMode = 'strict' | { readonly intervalMs: number } | 'os';
