/** Starts the bare loop that reading cases stand beside: it has Stepwell's answers ready-made. */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Progress } from '../load/answered-records.js';
import { endsOf, type TopicContents } from '../load/log-topic.js';
import { connectionsTo, fetchAt } from '../load/topic-passes.js';
import type { BarePagesSettings, PagePlace } from '../programs/bare-pages.program.js';
import { MeasuredProcess } from './measured-process.js';

/**
 * Fetches every page of the topic from Stepwell, keeps them in a file one after the other, and
 * starts a server of them.
 */
export async function startBarePages(
  directory: string,
  stepwell: MeasuredProcess,
  contents: TopicContents,
): Promise<MeasuredProcess> {
  await mkdir(directory);
  const settings: BarePagesSettings = {
    file: join(directory, 'pages'),
    index: join(directory, 'index'),
  };
  const pages = await open(settings.file, 'wx');
  const pool = connectionsTo(stepwell, 1);
  const places: [string, PagePlace][] = [];
  const progress = new Progress(endsOf(contents));
  let position = 0;
  for (let partition = 0; partition < contents.partitions; partition += 1) {
    while (!progress.isRead(partition)) {
      const offset = progress.nextOf(partition);
      const { answer } = await fetchAt(pool, partition, progress);
      if (progress.take(answer) === 0) throw new Error(`partition ${partition} is not filled`);
      await pages.write(answer);
      places.push([`${partition}/${offset}`, { position, length: answer.length }]);
      position += answer.length;
    }
  }
  await pool.close();
  await pages.sync();
  await pages.close();
  await writeFile(settings.index, JSON.stringify(places));
  return MeasuredProcess.start('bench/programs/bare-pages.program.js', [JSON.stringify(settings)]);
}
