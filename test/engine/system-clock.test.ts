/** A process that stood still reads what has arrived before its own deadlines act. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../src/engine/clock.js';
import { standStill } from '../support/process/stand-still.js';

let server: Server;
let near: Socket;
let far: Socket;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [far] = (await once(server, 'connection')) as [Socket];
});

afterEach(() => {
  near.destroy();
  server.close();
});

it('a late timer rings after the bytes that came in time are read', async () => {
  const order: string[] = [];
  far.on('data', () => order.push('bytes'));
  const rung = new Promise<void>((resolve) => {
    systemClock.after(50, () => {
      order.push('timer');
      resolve();
    });
  });
  near.write('in time');
  standStill(300);
  await rung;
  expect(order).toEqual(['bytes', 'timer']);
});

it('a late timer rings after bytes on a new connection', async () => {
  const order: string[] = [];
  server.on('connection', (socket) => socket.on('data', () => order.push('bytes')));
  const rung = new Promise<void>((resolve) => {
    systemClock.after(50, () => {
      order.push('timer');
      resolve();
    });
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('connect', () => {
    client.write('in time');
    standStill(300);
  });
  await rung;
  expect(order).toEqual(['bytes', 'timer']);
  client.destroy();
});

it('a late timer can be cancelled by what is read before it', async () => {
  let isRung = false;
  const cancel = systemClock.after(50, () => {
    isRung = true;
  });
  const read = once(far, 'data');
  near.write('in time');
  standStill(300);
  await read;
  cancel();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isRung).toBe(false);
});
