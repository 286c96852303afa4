/** The real server as its users start it, in a process of its own, with credentials we know. */
import { MeasuredProcess } from './measured-process.js';

export const bearer = 'Bearer bench-token';
export const basic = `Basic ${Buffer.from('bench:secret').toString('base64')}`;

/** Starts it on an empty folder; every setting that is not a credential is the shipped one. */
export function startStepwell(directory: string): Promise<MeasuredProcess> {
  return MeasuredProcess.start('src/main.js', ['start'], {
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: directory,
    STEPWELL_TOKEN: 'bench-token',
    STEPWELL_REST_USERNAME: 'bench',
    STEPWELL_REST_PASSWORD: 'secret',
    STEPWELL_LOG_LEVEL: 'warn',
  });
}
