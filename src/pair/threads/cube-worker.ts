/** The module that each thread of the cubes' workers runs. */
import { type PartitionItem, partitionItem } from '../../representations/voxel/build/partition.ts';
import { perform, type Task } from '../../representations/voxel/bulk/stages.ts';
import { serve } from './serve.ts';

export default await serve<null, Task | PartitionItem, unknown>(
  async () => (task) => ('stages' in task ? perform(task) : partitionItem(task)),
);
