import { startFakeProvider } from '@agp/testing/providers';
import { answerLoad } from '../../lifecycle/rolling/send-load.ts';

// Runs in a container of the test's own, so that the proxies' containers reach it.
await startFakeProvider(answerLoad(200), '0.0.0.0', 8091);
