/** What an export reports to the operator: what is missing, and what that means. */
import { type ExportReport, exportFile } from '../../server/repair/export-good.js';

/** How many streams of one kind of loss are named; the file names all. */
const namedMax = 20;

/** Lines for a person; `export.json` in `to` holds the same for programs. */
export function exportLines(from: string, to: string, report: ExportReport): string[] {
  const { damages, gaps, changed, uncertain, removedEvents } = report;
  const exported = `exported the intact part of ${from} to ${to}`;
  if (damages.length === 0) return [exported, 'nothing is damaged'];
  const dropped = changed.filter(({ outcome }) => outcome === 'dropped');
  const cut = changed.filter(({ outcome }) => outcome === 'cut back');
  return [
    exported,
    ...damages,
    ...gaps.map(({ log, from, until, means }) => `${log} [${from}, ${until}): ${means}`),
    ...(removedEvents === 0 ? [] : [removedLine(removedEvents)]),
    ...named(
      'dropped, because the beginning is lost',
      dropped.map(({ stream }) => stream),
    ),
    ...named(
      'cut back to before the loss: what happened since may happen again',
      cut.map(({ stream, kept }) => `${stream} (${kept} ${kept === 1 ? 'event' : 'events'})`),
    ),
    ...named('may have continued in the lost part', uncertain),
    `all of this stands in ${to}/${exportFile}; go on with: stepwell journal import ${to} <folder>`,
  ];
}

function removedLine(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'} depend on lost events and were left out`;
}

function named(what: string, streams: readonly string[]): string[] {
  if (streams.length === 0) return [];
  const noun = streams.length === 1 ? 'stream' : 'streams';
  const more = streams.length > namedMax ? [`  and ${streams.length - namedMax} more`] : [];
  return [
    `${streams.length} ${noun} ${what}:`,
    ...streams.slice(0, namedMax).map((stream) => `  ${stream}`),
    ...more,
  ];
}
