/** Robots that tests make up, as URDF and as numbers. */
import type { Random } from './random.ts';

export interface ModelJoint {
  name: string;
  type: 'fixed' | 'revolute' | 'continuous' | 'prismatic';
  parent: string;
  child: string;
  xyz: number[];
  rpy: number[];
  axis: number[] | null;
  mimic: { joint: string; multiplier: number; offset: number } | null;
}

export interface RobotModel {
  links: string[];
  joints: ModelJoint[];
}

const TYPES = ['revolute', 'continuous', 'prismatic', 'fixed'] as const;

/**
 * A tree of links; some joints mimic others, in chains too; links and joints stand in any order.
 */
export function randomRobot(random: Random, count: number): RobotModel {
  const three = (size: number): number[] => [0, 0, 0].map(() => random.between(-size, size));
  const links = Array.from({ length: count }, (_, n) => `link ${n}`);
  const joints: ModelJoint[] = [];
  for (let n = 1; n < count; n++) {
    const leaders = joints.filter(({ type }) => type !== 'fixed');
    const type = random.pick(TYPES);
    const mimics = type !== 'fixed' && leaders.length > 0 && random.next() < 0.3;
    joints.push({
      ...{ name: `joint ${n}`, type, parent: links[random.below(n)], child: links[n] },
      ...{ xyz: three(1), rpy: three(3), axis: random.next() < 0.2 ? null : three(2) },
      mimic: mimics
        ? { joint: random.pick(leaders).name, multiplier: random.between(-2, 2), offset: random.between(-1, 1) }
        : null,
    });
  }
  return { links: shuffled(links, random), joints: shuffled(joints, random) };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** The model as the text of a file, each link with what `collisionOf` gives it. */
export function urdfOf({ links, joints }: RobotModel, collisionOf: (link: string) => string = () => ''): string {
  const lines = joints.map(({ name, type, parent, child, xyz, rpy, axis, mimic }) =>
    [
      `<joint name="${name}" type="${type}">`,
      `<parent link="${parent}"/><child link="${child}"/><origin xyz="${xyz.join(' ')}" rpy="${rpy.join(' ')}"/>`,
      axis ? `<axis xyz="${axis.join(' ')}"/>` : '',
      type === 'fixed' ? '' : '<limit lower="-10" upper="10" effort="1" velocity="1"/>',
      mimic ? `<mimic joint="${mimic.joint}" multiplier="${mimic.multiplier}" offset="${mimic.offset}"/>` : '',
      '</joint>',
    ].join(''),
  );
  const all = links.map((link) => `<link name="${link}">${collisionOf(link)}</link>`);
  return `<?xml version="1.0"?>\n<robot name="made up">\n${[...all, ...lines].join('\n')}\n</robot>\n`;
}
