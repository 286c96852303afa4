/**
 * When an append counts as durable; storage/README.md has the exact promise of each mode. An
 * interval is how much a power cut may take.
 */
export type FsyncMode = 'strict' | { readonly intervalMs: number } | 'os';
