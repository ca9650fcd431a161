/** What each of the workers runs: what workers.ts posts. */
export { partitionItem } from './partition.ts';
export { perform } from './stages.ts';
