import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { itIsALog } from './log-contract.js';

describe('a log on the simulated disk', () => {
  itIsALog(async () => ({ disk: new SimulatedDisk(), directory: '/data' }));
});
