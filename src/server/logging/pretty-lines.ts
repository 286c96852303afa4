/** The log for people: `12:00:01 delivered POST ...`, the level only where it is a warning. */
import { type DestinationStream, type LogDescriptor, pino } from 'pino';
import pinoPretty from 'pino-pretty';
import { visibleText } from './visible-text.js';

type Colors = Parameters<pinoPretty.MessageFormatFunc>[3]['colors'];

/** What a line's text says anyway; JSON lines keep it for programs. */
const saidInText = 'messageId,workflowRunId';

/** Passes each line on to `destination` at once. Stacks and such follow their line, indented. */
export function prettyLines(destination: DestinationStream, hasColors: boolean): DestinationStream {
  const pretty = pinoPretty.prettyFactory({
    colorize: hasColors,
    singleLine: true,
    ignore: saidInText,
    customColors: 'message:reset',
    // Both stand in the text, without the colon that the default puts between.
    customPrettifiers: { time: () => '', level: () => '' },
    messageFormat: (log, messageKey, _label, { colors }) =>
      `${colors.gray(timeOf(log))} ${levelOf(log, colors)}${visibleText(String(log[messageKey] ?? ''))}`,
  });
  return { write: (line: string) => destination.write(pretty(line)) };
}

/** The local time of day. */
function timeOf({ time }: LogDescriptor): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

function levelOf({ level }: LogDescriptor, colors: Colors): string {
  const label = pino.levels.labels[level] ?? '';
  if (label === 'info') return '';
  if (label === 'warn') return `${colors.yellow('WARN')} `;
  if (label === 'error' || label === 'fatal') return `${colors.red(label.toUpperCase())} `;
  return `${colors.gray(label)} `;
}
