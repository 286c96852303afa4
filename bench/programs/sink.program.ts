/**
 * A destination in a process of its own: counts what arrives and answers 200. A path that is a
 * number is remembered with the time of its arrival.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countArrivals } from '../load/arrivals.js';
import { ready } from './measured-program.js';

const arrived = countArrivals();
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    const number = Number(request.url?.slice(1));
    arrived(number > 0 ? number : null);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
