/*
 * The whole public interface of Repose: worlds built by a program, and runs of scenes. A file that defines a law also
 * includes repose/law_kernel.h.
 */
#ifndef REPOSE_REPOSE_H
#define REPOSE_REPOSE_H

#include <repose/allocator.h>
#include <repose/bond.h>
#include <repose/fluid.h>
#include <repose/force.h>
#include <repose/heat.h>
#include <repose/joint.h>
#include <repose/law.h>
#include <repose/log.h>
#include <repose/mesh.h>
#include <repose/motion.h>
#include <repose/body.h>
#include <repose/query.h>
#include <repose/run.h>
#include <repose/scheduler.h>
#include <repose/shape.h>
#include <repose/status.h>
#include <repose/step.h>
#include <repose/world.h>

#endif
