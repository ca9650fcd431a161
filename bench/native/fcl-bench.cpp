// FCL's OBB trees (Jia Pan, Sachin Chitta, Dinesh Manocha, "FCL: a general purpose library for collision and proximity queries", ICRA 2012)
// over two meshes and a list of poses: microseconds for the first contact and for all contacts; or its RSS trees: microseconds for the distance;
// or its dynamic AABB tree of many objects, which are such OBB trees that move, or boxes that stand; or its conservative advancement
// (M. Tang, Y. J. Kim, D. Manocha, "C2A: Controlled Conservative Advancement for Continuous Collision Detection", ICRA 2009) of RSS trees.
// Called by fcl.mjs; see README.md.
//
//   fcl-bench <file> <rounds> <group>
//   fcl-bench <file> <rounds> distance
//   fcl-bench <file> <objects>[,<frames a sample>] frames
//   fcl-bench <file> <rounds> boxes
//   fcl-bench <file> <rounds>,<resolution> straight|screw
//   fcl-bench <obj>[,<obj>] 1 files
//
// For `files` the elements of an OBJ file, an `o` each, are objects that stand: those of the first file against those of the second, or, of one file,
// all against all. The whole program is the sample: it reads the text, builds OBB trees, and asks fcl::collide for one contact of each pair.
//
// The file, little-endian: uint32 0x31434647; uint32 vertices of a, triangles of a, vertices of b, triangles of b, poses; then a's positions
// (3 doubles a vertex), a's triangles (3 uint32 each), the same of b, and of each pose, which places b in a's frame, a row-major 4x4 of doubles.
//
// For `frames` every object is a; the poses, whose number is not read, are those of object after object, frame after frame. Of b there is nothing.
// A frame places the objects that have moved, updates the manager, and asks fcl::collide for one contact of each pair it hands over. For `boxes` there
// is no mesh, and in place of poses the lowest and the highest corner of each box; registering them, building, and counting pairs is timed.
//
// For `straight` and `screw` two poses are a motion of b, from the one to the other in a unit of time, while a stands: fcl::InterpMotion about b's
// origin, and fcl::ScrewMotion. In the place of <rounds>,<resolution> stands the step at which the advancement ends, a part of that time. `steps` are the
// poses it asks for. fcl::continuousCollide of two meshes rebuilds their trees at every step and takes bounds of motion in a frame that is none of theirs
// (https://github.com/flexible-collision-library/fcl/issues/120): it is asked for its answers, too, and what is timed is the library's traversal of
// RSS trees that stay as they are, which it has and does not call, after a check of OBB trees at the start.
//
// A sample is the mean of so many calls of one query that they take 50 us or more, found by doubling, which also warms up; `rounds` samples are
// taken of each pose. `inTurn` is of first contacts where every call has another pose than the one before, so that neither caches nor branch
// predictors know the query: milliseconds of every `group` poses, in five passes.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/math/motion/screw_motion.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using Model = fcl::BVHModel<fcl::OBB<double>>;
using SweptModel = fcl::BVHModel<fcl::RSS<double>>;
using Clock = std::chrono::steady_clock;

static const double shortest = 50; // microseconds
static const int passes = 5;

/** Spans of a millisecond and more are taken in processor time where that is less: other programs are not to count. */
struct Watch {
  std::clock_t used = std::clock();
  Clock::time_point start = Clock::now();

  double microseconds() const {
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    return time < 1000 ? time : std::min(time, 1e6 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
  }
};

template <typename T> static std::vector<T> readAll(FILE *file, std::size_t count) {
  std::vector<T> values(count);
  if (std::fread(values.data(), sizeof(T), count, file) != count) {
    std::fprintf(stderr, "fcl-bench: the file ends early\n");
    std::exit(1);
  }
  return values;
}

struct Mesh {
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
};

static Mesh readMesh(FILE *file, std::size_t vertices, std::size_t triangles) {
  const auto positions = readAll<double>(file, 3 * vertices);
  const auto indices = readAll<std::uint32_t>(file, 3 * triangles);
  Mesh mesh;
  for (std::size_t i = 0; i < positions.size(); i += 3)
    mesh.vertices.emplace_back(positions[i], positions[i + 1], positions[i + 2]);
  for (std::size_t i = 0; i < indices.size(); i += 3)
    mesh.triangles.emplace_back(indices[i], indices[i + 1], indices[i + 2]);
  return mesh;
}

template <typename M> static void build(const Mesh &mesh, M &model) {
  model.beginModel(static_cast<int>(mesh.triangles.size()), static_cast<int>(mesh.vertices.size()));
  model.addSubModel(mesh.vertices, mesh.triangles);
  model.endModel();
}

/** The shortest of three builds, in milliseconds. */
static double buildTime(const Mesh &mesh) {
  double best = 1e300;
  for (int i = 0; i < 3; i++) {
    Model model;
    const Watch watch;
    build(mesh, model);
    const double time = watch.microseconds() / 1000;
    if (time < best) best = time;
  }
  return best;
}

/** Of the nodes alone; BVHModel::memUsage() returns a status. */
static std::size_t nodeBytesOf(const Model &model) { return sizeof(fcl::BVNode<fcl::OBB<double>>) * model.getNumBVs(); }

struct Scene {
  Model a, b;
  std::vector<fcl::Transform3d> poses;
  fcl::CollisionRequestd first{1};
  fcl::CollisionRequestd all{std::size_t(1) << 30};
  fcl::CollisionResultd result;

  std::size_t query(std::size_t pose, const fcl::CollisionRequestd &request) {
    result.clear();
    return fcl::collide(&a, fcl::Transform3d::Identity(), &b, poses[pose], request, result);
  }
};

/** Samples of so many calls that they take `shortest` or more. */
template <typename Query> static void printSamplesOf(const Query &query, int rounds) {
  const auto time = [&](long calls) {
    const Watch watch;
    for (long i = 0; i < calls; i++) query();
    return watch.microseconds();
  };
  long calls = 1;
  while (time(calls) < shortest) calls *= 2;
  for (int i = 0; i < rounds; i++)
    std::printf("%s%.4f", i > 0 ? "," : "[", time(calls) / static_cast<double>(calls));
  std::printf("]");
}

/** The least distances of the two at every pose, and what they take. */
static void printDistances(const Mesh &meshA, const Mesh &meshB, const std::vector<fcl::Transform3d> &poses, int rounds) {
  static SweptModel a, b;
  build(meshA, a);
  build(meshB, b);
  const fcl::DistanceRequestd request(true);
  const auto distanceAt = [&](std::size_t pose) {
    fcl::DistanceResultd result;
    return fcl::distance(&a, fcl::Transform3d::Identity(), &b, poses[pose], request, result);
  };
  std::printf("{\"library\":\"fcl " FCL_VERSION "\",\"distance\":[");
  for (std::size_t i = 0; i < poses.size(); i++) std::printf("%s%.17g", i > 0 ? "," : "", distanceAt(i));
  std::printf("],\"times\":[");
  for (std::size_t i = 0; i < poses.size(); i++) {
    if (i > 0) std::printf(",");
    printSamplesOf([&] { distanceAt(i); }, rounds);
  }
  std::printf("]}\n");
}

static std::vector<fcl::Transform3d> posesOf(const std::vector<double> &numbers) {
  std::vector<fcl::Transform3d> poses;
  for (std::size_t i = 0; i < numbers.size(); i += 16) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++)
      for (int column = 0; column < 4; column++) pose(row, column) = numbers[i + 4 * row + column];
    poses.push_back(pose);
  }
  return poses;
}

/** Counts the poses that are asked for. */
template <typename Motion> struct Counted : Motion {
  mutable long steps = 0;
  using Motion::Motion;
  bool integrate(double time) const override {
    steps++;
    return Motion::integrate(time);
  }
};
using Turning = Counted<fcl::InterpMotion<double>>;
using Screwing = Counted<fcl::ScrewMotion<double>>;

static std::unique_ptr<Turning> motionOf(const fcl::Transform3d &from, const fcl::Transform3d &to, const Turning *) {
  // Without a point to turn about the library leaves one that nobody has set.
  return std::make_unique<Turning>(from.linear(), from.translation(), to.linear(), to.translation(), fcl::Vector3d::Zero());
}

static std::unique_ptr<Screwing> motionOf(const fcl::Transform3d &from, const fcl::Transform3d &to, const Screwing *) {
  return std::make_unique<Screwing>(from, to);
}

using Traversal = fcl::detail::MeshConservativeAdvancementTraversalNodeRSS<double>;

static void printList(const char *name, const std::vector<double> &values) {
  std::printf(",\"%s\":[", name);
  for (std::size_t i = 0; i < values.size(); i++) std::printf("%s%.17g", i > 0 ? "," : "", values[i]);
  std::printf("]");
}

/** The times of first contact, 2 where there is none; steps; and what motions take. */
template <typename Motion>
static void printImpacts(const Mesh &meshA, const Mesh &meshB, const std::vector<fcl::Transform3d> &poses, int rounds,
                         double resolution) {
  static SweptModel a, b;
  static Model boxesA, boxesB;
  build(meshA, a);
  build(meshB, b);
  build(meshA, boxesA);
  build(meshB, boxesB);
  const fcl::Transform3d start = fcl::Transform3d::Identity();
  const auto still = motionOf(start, start, static_cast<const Turning *>(nullptr));
  std::vector<std::unique_ptr<Motion>> motions;
  for (std::size_t i = 0; i + 1 < poses.size(); i += 2)
    motions.push_back(motionOf(poses[i], poses[i + 1], static_cast<const Motion *>(nullptr)));
  const fcl::CollisionRequestd first{1};
  fcl::CollisionResultd found;
  // fcl::detail::conservativeAdvancementMeshOriented, but for its check at the start, which moves and refits whole RSS trees.
  const auto advance = [&](const Motion &motion) {
    fcl::Transform3d pose;
    still->integrate(0);
    motion.integrate(0);
    motion.getCurrentTransform(pose);
    found.clear();
    if (fcl::collide(&boxesA, start, &boxesB, pose, first, found) > 0) return 0.0;
    Traversal node;
    initialize(node, a, start, b, pose);
    node.motion1 = still.get();
    node.motion2 = &motion;
    for (;;) {
      motion.getCurrentTransform(pose);
      node.R = pose.linear();
      node.T = pose.translation();
      node.delta_t = 1;
      node.min_distance = std::numeric_limits<double>::max();
      fcl::detail::distanceRecurse<double>(&node, 0, 0, nullptr);
      if (node.delta_t <= resolution) return static_cast<double>(node.toc);
      node.toc += node.delta_t;
      if (node.toc > 1) return 2.0;
      motion.integrate(node.toc);
    }
  };
  const auto collide = [&](const Motion &motion) {
    fcl::ContinuousCollisionRequestd request;
    request.ccd_solver_type = fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
    fcl::ContinuousCollisionResultd result;
    still->integrate(0);
    motion.integrate(0);
    fcl::continuousCollide(&a, still.get(), &b, &motion, request, result);
    return result.is_collide ? result.time_of_contact : 2.0;
  };
  std::vector<double> impact, steps, published;
  for (const auto &motion : motions) {
    impact.push_back(advance(*motion));
    steps.push_back(static_cast<double>(motion->steps));
    published.push_back(collide(*motion));
  }
  std::printf("{\"library\":\"fcl " FCL_VERSION "\"");
  printList("impact", impact);
  printList("steps", steps);
  printList("published", published);
  std::printf(",\"times\":[");
  for (std::size_t i = 0; i < motions.size(); i++) {
    if (i > 0) std::printf(",");
    printSamplesOf([&] { advance(*motions[i]); }, rounds);
  }
  std::printf("]}\n");
}

using Manager = fcl::DynamicAABBTreeCollisionManager<double>;
using Objects = std::vector<std::unique_ptr<fcl::CollisionObjectd>>;

static void registerAll(const Objects &objects, Manager &manager) {
  std::vector<fcl::CollisionObjectd *> pointers;
  for (const auto &object : objects) pointers.push_back(object.get());
  manager.registerObjects(pointers);
  manager.setup();
}

/** Of a pair whose boxes overlap: whether the two touch. */
static bool countContact(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data) {
  static const fcl::CollisionRequestd request{1};
  static fcl::CollisionResultd result;
  result.clear();
  if (fcl::collide(a, b, request, result) > 0) ++*static_cast<std::size_t *>(data);
  return false;
}

static bool countPair(fcl::CollisionObjectd *, fcl::CollisionObjectd *, void *data) {
  ++*static_cast<std::size_t *>(data);
  return false;
}

/** A frame: poses, and who has moved since the frame before. */
struct Frame {
  std::vector<fcl::Transform3d> poses;
  std::vector<std::size_t> moved;
  std::vector<fcl::CollisionObjectd *> movedObjects;
};

/**
 * Many objects of one mesh that move: microseconds and touching pairs of every frame.
 *
 * @param batch frames, after the first, of which one sample is taken
 */
static void printFrames(FILE *file, const Mesh &mesh, std::size_t count, std::size_t batch) {
  const auto model = std::make_shared<Model>();
  build(mesh, *model);
  model->computeLocalAABB();
  Objects objects;
  for (std::size_t i = 0; i < count; i++) objects.emplace_back(new fcl::CollisionObjectd(model));
  Manager manager;
  std::vector<double> times;
  std::vector<std::size_t> contacts;
  std::vector<double> numbers(16 * count);
  std::vector<double> before(16 * count);
  const auto readFrame = [&](Frame &frame) {
    if (std::fread(numbers.data(), sizeof(double), numbers.size(), file) != numbers.size()) return false;
    frame.poses = posesOf(numbers);
    for (std::size_t i = 0; i < count; i++) {
      if (std::equal(&before[16 * i], &before[16 * i] + 16, &numbers[16 * i])) continue;
      frame.moved.push_back(i);
      frame.movedObjects.push_back(objects[i].get());
    }
    before = numbers;
    return true;
  };
  const auto step = [&](const Frame &frame) {
    for (const std::size_t i : frame.moved) {
      objects[i]->setTransform(frame.poses[i]);
      objects[i]->computeAABB();
    }
    if (contacts.empty()) registerAll(objects, manager);
    else if (frame.moved.size() == count) manager.update();
    else manager.update(frame.movedObjects);
    std::size_t touching = 0;
    manager.collide(&touching, countContact);
    contacts.push_back(touching);
  };
  for (;;) {
    std::vector<Frame> frames;
    while (frames.size() < (contacts.empty() ? 1 : batch)) {
      Frame frame;
      if (!readFrame(frame)) break;
      frames.push_back(std::move(frame));
    }
    if (frames.empty()) break;
    const Watch watch;
    for (const Frame &frame : frames) step(frame);
    const double time = watch.microseconds() / static_cast<double>(frames.size());
    times.insert(times.end(), frames.size(), time);
  }
  std::printf("{\"library\":\"fcl " FCL_VERSION "\",\"times\":[");
  for (std::size_t i = 0; i < times.size(); i++) std::printf("%s%.3f", i > 0 ? "," : "", times[i]);
  std::printf("],\"contacts\":[");
  for (std::size_t i = 0; i < contacts.size(); i++) std::printf("%s%zu", i > 0 ? "," : "", contacts[i]);
  std::printf("]}\n");
}

/** Boxes that stand: pairs that overlap, and milliseconds to find them. */
static void printBoxes(const std::vector<double> &corners, int rounds) {
  Objects objects;
  for (std::size_t i = 0; i < corners.size(); i += 6) {
    const fcl::Vector3d low(corners[i], corners[i + 1], corners[i + 2]);
    const fcl::Vector3d high(corners[i + 3], corners[i + 4], corners[i + 5]);
    const fcl::Vector3d size = high - low;
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.translation() = (low + high) / 2;
    objects.emplace_back(new fcl::CollisionObjectd(std::make_shared<fcl::Boxd>(size), pose));
  }
  std::size_t pairs = 0;
  std::vector<double> times;
  for (int round = 0; round < rounds; round++) {
    const Watch watch;
    Manager manager;
    registerAll(objects, manager);
    pairs = 0;
    manager.collide(&pairs, countPair);
    times.push_back(watch.microseconds() / 1000);
  }
  std::printf("{\"library\":\"fcl " FCL_VERSION "\",\"pairs\":%zu,\"times\":[", pairs);
  for (std::size_t i = 0; i < times.size(); i++) std::printf("%s%.4f", i > 0 ? "," : "", times[i]);
  std::printf("]}\n");
}

/** The elements of an OBJ file: vertices, and polygons cut into fans. */
static std::vector<std::shared_ptr<Model>> readElements(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "fcl-bench: cannot open %s\n", path.c_str());
    std::exit(1);
  }
  std::vector<std::shared_ptr<Model>> models;
  std::vector<fcl::Vector3d> vertices;
  Mesh mesh;
  const auto end = [&] {
    if (mesh.triangles.empty()) return;
    models.push_back(std::make_shared<Model>());
    build(mesh, *models.back());
    mesh = Mesh();
  };
  std::vector<std::size_t> numberOf;
  char line[4096];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (line[0] == 'o') {
      end();
      numberOf.assign(vertices.size(), SIZE_MAX);
    } else if (line[0] == 'v' && line[1] == ' ') {
      char *at = line + 2;
      const double x = std::strtod(at, &at), y = std::strtod(at, &at), z = std::strtod(at, &at);
      vertices.emplace_back(x, y, z);
    } else if (line[0] == 'f') {
      numberOf.resize(vertices.size(), SIZE_MAX);
      std::vector<std::size_t> corners;
      char *at = line + 1;
      for (;;) {
        char *next = at;
        const long v = std::strtol(at, &next, 10);
        if (next == at) break;
        at = next;
        while (*at != '\0' && *at != ' ' && *at != '\n') at++;
        const std::size_t number = v > 0 ? v - 1 : vertices.size() + v;
        if (numberOf[number] == SIZE_MAX) {
          numberOf[number] = mesh.vertices.size();
          mesh.vertices.push_back(vertices[number]);
        }
        corners.push_back(numberOf[number]);
      }
      for (std::size_t k = 2; k < corners.size(); k++) mesh.triangles.emplace_back(corners[0], corners[k - 1], corners[k]);
    }
  }
  end();
  std::fclose(file);
  return models;
}

struct Meetings {
  std::size_t pairs = 0, touching = 0;
};

static bool countTouching(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data) {
  auto &counted = *static_cast<Meetings *>(data);
  fcl::CollisionResultd result;
  counted.pairs++;
  counted.touching += fcl::collide(a, b, fcl::CollisionRequestd(1), result) > 0;
  return false;
}

static int printFiles(const std::string &paths) {
  const auto comma = paths.find(',');
  std::vector<std::vector<std::unique_ptr<fcl::CollisionObjectd>>> sides;
  std::vector<std::unique_ptr<fcl::DynamicAABBTreeCollisionManagerd>> managers;
  for (const auto &path : comma == std::string::npos
                              ? std::vector<std::string>{paths}
                              : std::vector<std::string>{paths.substr(0, comma), paths.substr(comma + 1)}) {
    sides.emplace_back();
    managers.push_back(std::make_unique<fcl::DynamicAABBTreeCollisionManagerd>());
    for (const auto &model : readElements(path)) {
      sides.back().push_back(std::make_unique<fcl::CollisionObjectd>(model));
      sides.back().back()->computeAABB();
      managers.back()->registerObject(sides.back().back().get());
    }
    managers.back()->setup();
  }
  Meetings counted;
  if (managers.size() == 2) managers[0]->collide(managers[1].get(), &counted, countTouching);
  else managers[0]->collide(&counted, countTouching);
  std::printf("{\"pairs\":%zu,\"touching\":%zu,\"cpuMs\":%.3f}\n", counted.pairs, counted.touching,
              1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return 0;
}

int main(int count, char **arguments) {
  if (count != 4) {
    std::fprintf(stderr, "fcl-bench <file> <rounds> <group>|distance|frames|boxes|straight|screw|files\n");
    return 1;
  }
  if (std::strcmp(arguments[3], "files") == 0) return printFiles(arguments[1]);
  FILE *file = std::fopen(arguments[1], "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "fcl-bench: cannot open %s\n", arguments[1]);
    return 1;
  }
  const int rounds = std::atoi(arguments[2]);
  const char *comma = std::strchr(arguments[2], ',');
  const double resolution = comma == nullptr ? 1e-5 : std::atof(comma + 1);
  const std::size_t group = std::max(1, std::atoi(arguments[3]));
  const auto head = readAll<std::uint32_t>(file, 6);
  if (head[0] != 0x31434647) {
    std::fprintf(stderr, "fcl-bench: not a file of scenes\n");
    return 1;
  }
  const Mesh meshA = readMesh(file, head[1], head[2]);
  const Mesh meshB = readMesh(file, head[3], head[4]);
  const std::size_t poses = head[5];
  if (std::strcmp(arguments[3], "frames") == 0) {
    const int batch = comma == nullptr ? 1 : std::atoi(comma + 1);
    printFrames(file, meshA, static_cast<std::size_t>(rounds), static_cast<std::size_t>(std::max(1, batch)));
    return 0;
  }
  if (std::strcmp(arguments[3], "boxes") == 0) {
    printBoxes(readAll<double>(file, 6 * poses), rounds);
    return 0;
  }
  const auto numbers = readAll<double>(file, 16 * poses);
  std::fclose(file);

  if (std::strcmp(arguments[3], "distance") == 0) {
    printDistances(meshA, meshB, posesOf(numbers), rounds);
    return 0;
  }
  if (std::strcmp(arguments[3], "straight") == 0) {
    printImpacts<Turning>(meshA, meshB, posesOf(numbers), rounds, resolution);
    return 0;
  }
  if (std::strcmp(arguments[3], "screw") == 0) {
    printImpacts<Screwing>(meshA, meshB, posesOf(numbers), rounds, resolution);
    return 0;
  }
  static Scene scene;
  build(meshA, scene.a);
  build(meshB, scene.b);
  scene.poses = posesOf(numbers);

  std::printf("{\"library\":\"fcl " FCL_VERSION "\",\"buildMs\":[%.4f,%.4f],\"nodeBytes\":[%zu,%zu]", buildTime(meshA),
              buildTime(meshB), nodeBytesOf(scene.a), nodeBytesOf(scene.b));
  std::printf(",\"count\":[");
  for (std::size_t i = 0; i < poses; i++) std::printf("%s%zu", i > 0 ? "," : "", scene.query(i, scene.all));
  std::printf("],\"hit\":[");
  for (std::size_t i = 0; i < poses; i++) std::printf("%s%d", i > 0 ? "," : "", scene.query(i, scene.first) > 0);
  std::printf("],\"first\":[");
  for (std::size_t i = 0; i < poses; i++) {
    if (i > 0) std::printf(",");
    printSamplesOf([&] { scene.query(i, scene.first); }, rounds);
  }
  std::printf("],\"all\":[");
  for (std::size_t i = 0; i < poses; i++) {
    if (i > 0) std::printf(",");
    printSamplesOf([&] { scene.query(i, scene.all); }, rounds);
  }
  std::printf("],\"inTurn\":[");
  std::vector<std::vector<double>> groups((poses + group - 1) / group);
  for (int pass = 0; pass < passes; pass++) {
    for (std::size_t i = 0; i < groups.size(); i++) {
      const Watch watch;
      for (std::size_t pose = group * i; pose < std::min(poses, group * (i + 1)); pose++) scene.query(pose, scene.first);
      groups[i].push_back(watch.microseconds() / 1000);
    }
  }
  for (std::size_t i = 0; i < groups.size(); i++)
    for (int pass = 0; pass < passes; pass++)
      std::printf("%s%.6f%s", pass > 0 ? "," : i > 0 ? ",[" : "[", groups[i][pass], pass + 1 == passes ? "]" : "");
  std::printf("]}\n");
  return 0;
}
