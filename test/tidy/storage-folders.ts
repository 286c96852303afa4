/** The folders of `storage/` in their order: a file imports from its own folder and lower ones. */

/** From top to bottom. An import of a type counts like any other. */
export const storageFolders: readonly string[] = [
  // A store made of what still reads in a damaged one.
  'storage/salvage',
  // The open store, what its users import first.
  'storage',
  // A copy of a data folder that is in use.
  'storage/backup',
  // Reads all of a data folder and says what is damaged.
  'storage/verify',
  // What the users of logs remember of them, in files that may be deleted.
  'storage/snapshot',
  // A start: the options, the order of its steps, what a crash left, files that are not listed.
  'storage/recovery',
  // One log: append, group commit, the growing segment, reads, waiters, upkeep.
  'storage/log',
  // Putting one segment in the place of others, with all records or the latest of each key.
  'storage/compaction',
  // What the sealed segments of a log were, provably, whatever was taken out of them since.
  'storage/chain',
  // A segment in memory and its file: made, sealed, read, searched for damage, removed.
  'storage/segment',
  // Groups of many logs in one file, before the files of their segments are synced.
  'storage/wal',
  // What is live, and its two copies on disk; the watermarks.
  'storage/manifest',
  // From a term, a time or an offset to a place in a segment.
  'storage/index',
  // The bytes of records, batches and segments, and reading batches one after another.
  'storage/format',
  // The port to the file system and its implementation, open files, syncing, room, paths.
  'storage/disk',
  // Every error, and the fence that the first failed write puts up.
  'storage/faults',
  // An offset, and lists of them.
  'storage/offsets',
];
