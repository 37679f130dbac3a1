import { parentPort, workerData } from 'node:worker_threads';
import { tryText } from '@agp/policy';

parentPort?.postMessage(tryText(workerData));
