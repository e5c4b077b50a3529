/*
 * Bodies that come and go, at a time or at the beginning of a stage: single bodies enter, and bodies and sets are held,
 * released and removed. Events are listed when the scene is built; that and when one happened is state.
 */
#ifndef RPS_SCENE_EVENTS_H
#define RPS_SCENE_EVENTS_H

#include "scene/scene_internal.h"

/* In the order in which they happen at one time. */
typedef enum rps_event_kind {
    RPS_EVENT_REMOVED,
    RPS_EVENT_HELD,
    RPS_EVENT_RELEASED,
    RPS_EVENT_ENTERS,
    RPS_EVENT_KINDS
} rps_event_kind;

struct rps_event {
    rps_event_kind kind;
    const rps_node *node; /* where it is said */
    double time;          /* s; NAN: at a stage */
    int stage;            /* its number; -1: at a time */
    int group;            /* of the bodies; -1: all free ones, in `region` */
    bool somewhere;       /* only those in `region` */
    rps_region region;
    size_t named;     /* of a body that enters: its name */
    rps_body_def def; /* of it */
    double radius;    /* m, of the sphere around it */
    bool done;        /* state */
    double when;      /* state: s, when it happened */
    uint64_t id;      /* state: of the body that entered */
    uint64_t bodies;  /* state: how many it met */
};

/* build_bodies.c: a body that enters later. */
rps_status rps_event_of_entering(rps_scene *scene, rps_world *world, const rps_node *node, const rps_body_def *def,
                                 rps_error *err);
/* Once all names and stages are known. */
rps_status rps_build_events(rps_scene *scene, const rps_world *world, rps_error *err);
/* Lets happen what is due at the beginning of a stage; and at times, before the next step. */
rps_status rps_events_of_stage(rps_scene *scene, rps_world *world, size_t stage, rps_error *err);
rps_status rps_events_due(rps_scene *scene, rps_world *world, rps_error *err);
/* Does something happen before the step after this one? Nothing else is known of times to come. */
bool rps_event_is_due(const rps_scene *scene, uint64_t step);
/* Is this body still to come, by the number of its name? */
bool rps_events_bring(const rps_scene *scene, size_t named);
/* Something will happen at a time to come. */
bool rps_events_wait(const rps_scene *scene);
/* Some event is of this kind. */
bool rps_events_have(const rps_scene *scene, rps_event_kind kind);

/* Adds driven bodies that have entered to a world that was just built, in the order in which they did. */
rps_status rps_events_put_driven(const rps_scene *scene, rps_world *world, rps_error *err);
extern const char rps_scene_events_name[], rps_scene_event_times_name[];
rps_status rps_events_save(const rps_scene *scene, rps_serializer *serializer, rps_error *err);
/* Before the state of the world is restored: what happened, and driven bodies that have entered, which belong to the
 * set-up. */
rps_status rps_events_restore(rps_scene *scene, rps_world *world, const rps_checkpoint *c, rps_error *err);

#endif
