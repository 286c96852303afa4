/**
 * Everything that needs the engine: the server itself, and the commands that read its folder or its
 * settings. It is bundled as a separate file beside the program (ADR 75), so that a command which
 * only queries a server starts without it.
 */
import 'reflect-metadata';
import { messageOf } from '../../storage/faults/storage-errors.js';
import { ConfigurationError } from '../server/configuration/config.js';
import { exitCodeOf } from '../server/lifecycle/exit-code-of.js';
import { showSourceLinesAtEnd } from '../server/logging/source-lines.js';
import { dev } from './dev.js';
import { examine } from './doctor/examine.js';
import { backup, restoreFolder } from './folder/backup-restore.js';
import { printConfiguration } from './folder/print-config.js';
import {
  exportFolder,
  printDigest,
  printJournal,
  replayJournal,
  verifyJournal,
} from './journal.js';
import { printMachines } from './machines/print-machines.js';
import { start } from './start.js';

showSourceLinesAtEnd();

/** The actions of those commands; their definitions (`x.command.ts`) load them when called. */
export const actions = {
  backup,
  dev,
  examine,
  exportFolder,
  printConfiguration,
  printDigest,
  printJournal,
  printMachines,
  replayJournal,
  restoreFolder,
  start,
  verifyJournal,
} as const;

/** Why a command failed, as lines for people, and the exit code for it. */
export function endOf(error: unknown): {
  readonly lines: readonly string[];
  readonly code: number;
} {
  const lines = error instanceof ConfigurationError ? error.problems : [messageOf(error)];
  return { lines, code: exitCodeOf(error) };
}
