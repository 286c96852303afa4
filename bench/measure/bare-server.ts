/** Starts the bare HTTP loop that a scenario stands beside Stepwell. */
import { mkdir } from 'node:fs/promises';
import type { BareServerSettings } from '../programs/bare-server.program.js';
import { MeasuredProcess } from './measured-process.js';

/** Starts it on a folder that it makes. */
export async function startBareServer(settings: BareServerSettings): Promise<MeasuredProcess> {
  await mkdir(settings.directory);
  return MeasuredProcess.start('bench/programs/bare-server.program.js', [JSON.stringify(settings)]);
}
