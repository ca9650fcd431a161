// What docs/speed.md says of the page of `gicollide view`.
import { count, ofMs, table, time } from './page-text.mjs';

const PARTS = ['far', 'near', 'touching', 'deep'];
const PAGE = 'the page';
const PEER = 'three-mesh-bvh';

/** @type {import('./page-text.mjs').Writer} */
export function view({ pairs, kinds, rest, page, browser }) {
  const [pair] = Object.values(pairs);
  const first = pair['us of the first drag'];
  const own = 'check, prepared, verdict';
  return {
    title: 'How fast does the page answer while somebody drags?',
    answers: [
      ...PARTS.map((part) => ({
        question: `${part}, verdict, and distance where it is clear`,
        ...{ way: PAGE, time: first[PAGE][part], peer: PEER, peerTime: first[`${PEER}, and distance`][part] },
      })),
      ...PARTS.map((part) => ({
        question: `${part}, verdict`,
        ...{
          way: own,
          time: pair.us['prepared, verdict'][part],
          peer: PEER,
          peerTime: pair.us[`${PEER}, verdict`][part],
        },
      })),
    ],
    text: [
      `\`gicollide view\` answers every move with the verdict and, where that is clear, with the distance and its line; a distance that is not found within 10 ms is left out. A drag here draws b from afar until the middles meet, and a quarter of its ${count(pair.poses)} poses is far, near, touching and deep each. Each ball has ${count(pair.triangles[0])} triangles. What is measured is the engine of the page's worker, in Node; "in a frame" counts answers within 16 ms.`,
      table(
        ['pair', ...PARTS, 'worst', 'in a frame', 'distances told'],
        [
          ...Object.entries(pairs).map(([name, one]) => [`OBB trees, ${name}`, one.us[PAGE], one, one.poses]),
          ...Object.entries(kinds).map(([name, one]) => [name, one.us, one, pair.poses]),
        ].map(([name, us, one, poses]) => [
          name,
          ...[...PARTS, 'worst'].map((part) => time(us[part])),
          `${us['in a frame']} of ${poses}`,
          `${one['distances told']} of ${one.clear}`,
        ]),
      ),
      `When the two balls rest, the page tells class, thickness and contact curves in ${ofMs(rest.ms.full.median)} in the median, ${ofMs(rest.ms.full.worst)} at worst. The nodes that a query visits take ${ofMs(rest.ms.visits.median)}, the triangles to draw ${ofMs(rest.ms.surface)} a ball, and reading both files ${ofMs(rest.ms['open both'])}. Without data the page has ${count(page.bytes)} bytes, ${count(page.gzip)} compressed.`,
      ...inChromium(browser),
      'three-mesh-bvh answers the same poses of the two balls. Its distance takes long and is asked at a fifth of them; where the page is compared with it, both figures are of those.',
    ],
  };
}

/** @param {any} opened */
const openingOf = (opened) =>
  `A scene of ${count(opened.objects)} meshes of ${count(opened.triangles)} triangles with ${count(opened.findings)} findings is read and served after ${ofMs(opened['until the address, ms'])}, and then its page opens in ${ofMs(opened['until ready, ms'])}, in ${ofMs(opened['processor, ms'])} of a processor.`;

/** @param {any} browser */
function inChromium(browser) {
  if (!browser.drag) return [];
  const { drag, opened, orbit, pixels, version } = browser;
  const [own, whole, frame] = ['in the page, ms', 'verdict, ms', 'frame of it, ms'].map((name) => drag[name]);
  return [
    `In Chromium ${version}, ${pixels.join(' x ')} pixels, where a program (SwiftShader) draws for want of a graphics card and takes the same processors: of ${drag.moves} moves of one of the balls, the verdict stands in the page ${ofMs(own.median)} after the page hears of the move (of ${own['in a frame']} within 16 ms) and ${ofMs(whole.median)} after the browser does, in the median, and the frame that shows it ends after ${ofMs(frame.median)}. A scene of ${count(orbit.instances)} instances of ${count(orbit.triangles)} triangles is drawn ${Math.round(orbit['frames a second'])} times a second while it turns, coarser than at rest.`,
    ...(opened ? [openingOf(opened)] : []),
  ];
}
