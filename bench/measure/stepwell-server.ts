/** The real server as its users start it, in a process of its own, with credentials we know. */
import { MeasuredProcess } from './measured-process.js';

export const token = 'token-of-the-bench';
export const bearer = `Bearer ${token}`;
export const basic = `Basic ${Buffer.from('bench:password-of-the-bench').toString('base64')}`;

/**
 * Starts it on a folder, and on a free port where none is named; every setting that is neither a
 * credential nor in `more` is the shipped one. `node` is the Node.js that runs it.
 */
export function startStepwell(
  directory: string,
  port = 0,
  node: string = process.execPath,
  more: Readonly<Record<string, string>> = {},
): Promise<MeasuredProcess> {
  const environment = {
    STEPWELL_PORT: String(port),
    STEPWELL_DATA_DIR: directory,
    STEPWELL_TOKEN: token,
    STEPWELL_REST_USERNAME: 'bench',
    STEPWELL_REST_PASSWORD: 'password-of-the-bench',
    STEPWELL_LOG_LEVEL: 'warn',
    ...more,
  };
  return MeasuredProcess.start('src/main.js', ['start'], environment, node);
}
