/** What each of the workers runs: what workers.ts posts. */
export { partitionItem } from '../../representations/voxel/bulk/partition.ts';
export { perform } from '../../representations/voxel/bulk/stages.ts';
