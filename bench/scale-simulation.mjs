// Simulates a run of many jobs on many machines: a coordinator, a Redis, an asset store and
// workers, each with its time for a job. docs/scale.md explains its purpose.
//
// Coordinator, Redis and store each serve one request at a time, first come first served. A worker
// is a thread. The workers of one machine open the run together, once; then each takes one job
// after the other. The job of a worker that dies is taken by others when its lock has expired.

/**
 * @typedef {object} Machines all times in seconds
 * @property {number} jobs
 * @property {(job: number) => number} seconds what a job takes where it is answered
 * @property {number} workers threads
 * @property {number} [threads] of a machine; 1 unless given
 * @property {number} window jobs that are with Redis and workers at once
 * @property {{ send: number, take: number }} coordinator of its own time: a job on its way out, an answer in
 * @property {{ operation: number, add: number, take: number, end: number, renewEvery: number }} redis
 *   what an operation takes, and how many a job is in each of its states; a lock is renewed so often
 * @property {{ bytesPerSecond: number, runBytes: number, open: number }} store what a worker reads
 *   before its first job of a run, once a machine, and what opening it takes
 * @property {{ every: number, noticed: number, restart: number }} [deaths] a worker dies once in so many
 *   seconds of work; after so many its job is given to another, and after so many it is back
 * @property {() => number} random from 0 to 1
 */

/**
 * @typedef {object} Simulated
 * @property {number} seconds from the first job sent to the last answer taken
 * @property {number} work seconds of all jobs
 * @property {number} answered jobs, each counted once
 * @property {number} repeated jobs that were begun again
 * @property {{ coordinator: number, redis: number, store: number, workers: number }} busy parts of the time
 */

/** Events by their time; of equal times the earlier one first. */
class Agenda {
  /** @type {{ time: number, order: number, run: (time: number) => void }[]} */
  #heap = [];
  #order = 0;

  /** @param {number} time @param {(time: number) => void} run */
  at(time, run) {
    const heap = this.#heap;
    heap.push({ time, order: this.#order++, run });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#isLess(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Runs all events, those too that others add. */
  run() {
    const heap = this.#heap;
    for (let first = heap[0]; first; first = heap[0]) {
      const last = /** @type {typeof first} */ (heap.pop());
      if (heap.length > 0) {
        heap[0] = last;
        this.#sink();
      }
      first.run(first.time);
    }
  }

  #sink() {
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < this.#heap.length && this.#isLess(child, least)) least = child;
      if (least === parent) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  /** @param {number} p @param {number} q */
  #isLess(p, q) {
    const [a, b] = [this.#heap[p], this.#heap[q]];
    return a.time < b.time || (a.time === b.time && a.order < b.order);
  }

  /** @param {number} p @param {number} q */
  #swap(p, q) {
    [this.#heap[p], this.#heap[q]] = [this.#heap[q], this.#heap[p]];
  }
}

/** A server of one request at a time. */
class Server {
  busy = 0;
  #free = 0;

  /**
   * @param {number} now
   * @param {number} seconds
   * @returns {number} when it is done
   */
  use(now, seconds) {
    this.#free = Math.max(this.#free, now) + seconds;
    this.busy += seconds;
    return this.#free;
  }
}

/**
 * @param {Machines} machines
 * @returns {Simulated}
 */
export function simulate(machines) {
  const { jobs, seconds, workers, threads = 1, window, redis: costs, deaths, random } = machines;
  const agenda = new Agenda();
  const [coordinator, redis, store] = [new Server(), new Server(), new Server()];
  /** @type {number[]} */
  const waiting = [];
  /** @type {number[]} */
  const idle = [];
  /** When the run of each machine is open. */
  const opened = new Float64Array(Math.ceil(workers / threads)).fill(-1);
  const isDone = new Uint8Array(jobs);
  let [sent, answered, repeated, work, busy, end] = [0, 0, 0, 0, 0, 0];
  /** @param {number} time @param {number} operations @param {(time: number) => void} then */
  const ask = (time, operations, then) => agenda.at(redis.use(time, operations * costs.operation), then);

  /** @param {number} time */
  const send = (time) => {
    if (sent === jobs) return;
    const job = sent++;
    agenda.at(coordinator.use(time, machines.coordinator.send), (out) =>
      ask(out, costs.add, (there) => offer(job, there)),
    );
  };
  /** @param {number} job @param {number} time */
  const offer = (job, time) => {
    const worker = idle.pop();
    if (worker === undefined) waiting.push(job);
    else take(worker, job, time);
  };
  /** @param {number} worker @param {number} time */
  const rest = (worker, time) => {
    const job = waiting.shift();
    if (job === undefined) idle.push(worker);
    else take(worker, job, time);
  };
  /** @param {number} worker @param {number} job @param {number} time */
  const take = (worker, job, time) =>
    ask(time, costs.take, (taken) => {
      const machine = Math.floor(worker / threads);
      if (opened[machine] < 0)
        opened[machine] =
          store.use(taken, machines.store.runBytes / machines.store.bytesPerSecond) + machines.store.open;
      const from = Math.max(taken, opened[machine]);
      if (from === taken) return answer(worker, job, taken);
      busy += from - taken;
      agenda.at(from, (open) => answer(worker, job, open));
    });
  /** @param {number} worker @param {number} job @param {number} time */
  const answer = (worker, job, time) => {
    const own = seconds(job);
    const until = deaths ? -Math.log(1 - random()) * deaths.every : Number.POSITIVE_INFINITY;
    if (deaths && until < own) {
      busy += until;
      repeated++;
      opened[Math.floor(worker / threads)] = -1;
      agenda.at(time + until + deaths.noticed, (noticed) => offer(job, noticed));
      agenda.at(time + until + deaths.restart, (back) => rest(worker, back));
      return;
    }
    busy += own;
    work += own;
    agenda.at(time + own, (done) =>
      ask(done, costs.end + Math.floor(own / costs.renewEvery), (told) => {
        rest(worker, told);
        agenda.at(coordinator.use(told, machines.coordinator.take), (known) => {
          if (!isDone[job]) answered++;
          isDone[job] = 1;
          end = Math.max(end, known);
          send(known);
        });
      }),
    );
  };

  for (let worker = workers - 1; worker >= 0; worker--) idle.push(worker);
  for (let n = 0; n < Math.min(window, jobs); n++) agenda.at(0, send);
  agenda.run();
  return {
    ...{ seconds: end, work, answered, repeated },
    busy: {
      coordinator: coordinator.busy / end,
      redis: redis.busy / end,
      store: store.busy / end,
      workers: busy / (end * workers),
    },
  };
}
