// Embree (I. Wald, S. Woop, C. Benthin, G. Johnson, M. Ernst, "Embree: A Kernel Framework for Efficient CPU Ray Tracing", SIGGRAPH 2014) over a mesh,
// on one thread: first hits of single rays by rtcIntersect1, and the nearest points of single points by rtcPointQuery, in single precision.
// Called by embree.mjs; see README.md.
//
//   embree-bench <file> <rounds> rays|robust|points
//
// The file, little-endian: uint32 0x31424d45; uint32 vertices, triangles, questions; then positions (3 doubles a vertex), triangles (3 uint32 each),
// and of each question a point and a direction, 6 doubles. `robust` sets RTC_SCENE_FLAG_ROBUST: rays then meet what they meet at an edge.
//
// The processor's time of all questions together, the least of the rounds, over their number. For a point the callback measures a triangle, as in
// Embree's tutorial `closest_point`.
#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

struct Vec {
  float x, y, z;
};
static Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vec operator*(float s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
static float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static double processorMs() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

template <class T>
static std::vector<T> read(FILE *file, size_t count) {
  std::vector<T> values(count);
  if (fread(values.data(), sizeof(T), count, file) != count) {
    fprintf(stderr, "the file is too short\n");
    exit(1);
  }
  return values;
}

static std::vector<Vec> points;
static std::vector<uint32_t> corners;

// C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.5.
static Vec nearest(Vec p, Vec a, Vec b, Vec c) {
  const Vec ab = b - a, ac = c - a, ap = p - a;
  const float d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vec bp = p - b;
  const float d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const Vec cp = p - c;
  const float d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  const float over = 1 / (va + vb + vc);
  return a + vb * over * ab + vc * over * ac;
}

static bool measure(RTCPointQueryFunctionArguments *args) {
  const uint32_t *t = &corners[3 * args->primID];
  const Vec p{args->query->x, args->query->y, args->query->z};
  const Vec d = p - nearest(p, points[t[0]], points[t[1]], points[t[2]]);
  const float distance = std::sqrt(dot(d, d));
  if (!(distance < args->query->radius)) return false;
  args->query->radius = distance;
  return true;
}

static float askRay(RTCScene scene, const float *q) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit hit{};
  hit.ray.org_x = q[0];
  hit.ray.org_y = q[1];
  hit.ray.org_z = q[2];
  hit.ray.dir_x = q[3];
  hit.ray.dir_y = q[4];
  hit.ray.dir_z = q[5];
  hit.ray.tfar = std::numeric_limits<float>::infinity();
  hit.ray.mask = ~0u;
  hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene, &context, &hit);
  return hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : hit.ray.tfar;
}

static float askPoint(RTCScene scene, const float *q) {
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  RTCPointQuery query{};
  query.x = q[0];
  query.y = q[1];
  query.z = q[2];
  query.radius = std::numeric_limits<float>::infinity();
  rtcPointQuery(scene, &query, &context, measure, nullptr);
  return query.radius;
}

int main(int count, char **args) {
  if (count != 4) return 2;
  FILE *file = fopen(args[1], "rb");
  if (!file) return 2;
  const auto header = read<uint32_t>(file, 4);
  if (header[0] != 0x31424d45) return 2;
  const auto positions = read<double>(file, 3 * size_t(header[1]));
  corners = read<uint32_t>(file, 3 * size_t(header[2]));
  const auto numbers = read<double>(file, 6 * size_t(header[3]));
  fclose(file);
  const int rounds = atoi(args[2]);
  const std::string how = args[3];
  for (size_t v = 0; v < header[1]; v++)
    points.push_back({float(positions[3 * v]), float(positions[3 * v + 1]), float(positions[3 * v + 2])});
  const std::vector<float> questions(numbers.begin(), numbers.end());

  const double begin = processorMs();
  RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
  RTCScene scene = rtcNewScene(device);
  if (how == "robust") rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  RTCGeometry mesh = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  void *to = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec), points.size());
  std::copy(points.begin(), points.end(), static_cast<Vec *>(to));
  to = rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, corners.size() / 3);
  std::copy(corners.begin(), corners.end(), static_cast<uint32_t *>(to));
  rtcCommitGeometry(mesh);
  rtcAttachGeometry(scene, mesh);
  rtcReleaseGeometry(mesh);
  rtcCommitScene(scene);
  const double buildMs = processorMs() - begin;

  const size_t all = header[3];
  std::vector<float> answers(all);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds; round++) {
    const double from = processorMs();
    for (size_t i = 0; i < all; i++)
      answers[i] = how == "points" ? askPoint(scene, &questions[6 * i]) : askRay(scene, &questions[6 * i]);
    best = std::min(best, processorMs() - from);
  }
  printf("{\"buildMs\":%.3f,\"us\":%.5f,\"distances\":[", buildMs, 1e3 * best / all);
  for (size_t i = 0; i < all; i++) printf("%s%.9g", i ? "," : "", answers[i]);
  printf("]}\n");
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  return 0;
}
