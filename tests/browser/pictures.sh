#!/bin/bash
# repose picture and repose movie: a grain is where the camera's projection of run.h5 puts it, in the colour of its value; a movie
# has the frames, size and rate that were asked for; results that are broken, and helpers that are missing, refuse, die or hang,
# give a sentence and leave nothing behind. ffmpeg and ffprobe read what was written.
# A build without npm has no page to draw; what needs none is tested all the same. Environment: REPOSE, the command (default build/repose)
set -u
export LC_ALL=C # awk and printf write and read a decimal point
cd "$(dirname "$0")/../.." || exit 1
repose=$(realpath "${REPOSE:-build/repose}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
mkdir "$work/tmp"
export TMPDIR=$work/tmp

expect() { # status text arguments...   status, and the text (fixed) on either output
    local status=$1 text=$2 got
    shift 2
    "$repose" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] && cat "$work/out" "$work/err" | grep -qF -e "$text"
    check "repose $* (expected status $status with \"$text\", got $got)"
}

tidy() { # what   no file is left in the folder for temporary ones
    [ -z "$(ls -A "$work/tmp")" ]
    check "$1 leaves no temporary files: $(ls -A "$work/tmp")"
}

# Two balls without forces: the small one moves along x and z. Five frames.
cat >"$work/balls.yaml" <<'SCENE'
repose: 1
title: Two balls
gravity: [0, 0, 0]
materials: {stone: {density: 2500 kg/m^3}}
exclude: [[small, large]]
bodies:
  - {name: small, shape: {sphere: {radius: 0.1 m}}, material: stone, position: [0.5, 0, 0.25], velocity: [1, 0, 0.5]}
  - {name: large, shape: {sphere: {radius: 0.3 m}}, material: stone, position: [-0.75, 1, 0]}
run: {step: 1e-3 s, until: 0.4 s}
output: {frames: 0.1 s, contacts: [id_i, id_j]}
SCENE
cd "$work" || exit 1
"$repose" run balls.yaml -q -o run >out 2>err
check "the scene runs"

# --- what is wrong is told before a browser starts
mkdir none empty half torn
expect 0 "usage: repose picture" picture --help
expect 0 "usage: repose movie" movie --help
expect 2 "name one directory" picture -o a.png
expect 2 "name the picture by -o" picture run
expect 2 "pictures are PNG" picture run -o a.jpg
expect 2 "name the movie by -o" movie run
expect 2 "movies are MP4 or GIF" movie run -o a.avi
expect 2 "are even in an MP4" movie run -o a.mp4 --size 321x240
expect 2 "--size takes" picture run -o a.png --size 12
expect 2 "--size takes" picture run -o a.png --size 100000x100000
expect 2 "--range takes" picture run -o a.png --range 2:1
expect 2 "did you mean front?" picture run -o a.png --view frnt
expect 2 "stands where it looks" picture run -o a.png --view 1,2,3:1,2,3
expect 2 "stands where it looks" picture run -o a.png --view 0,0,0
expect 2 "--clip takes" picture run -o a.png --clip u
expect 2 "--clip takes" picture run -o a.png --clip x:2s
expect 2 "--walls takes" picture run -o a.png --walls thick
expect 2 "--time takes" picture run -o a.png --time 2m
expect 2 "--frame takes" picture run -o a.png --frame soon
expect 2 "--frames takes" movie run -o a.gif --frames 3
expect 2 "--fps takes" movie run -o a.gif --fps 0
expect 2 "--wait takes" picture run -o a.png --wait 0
expect 1 "there is no frame 5" picture run -o a.png --frame 5
expect 1 "there is none from 9 to -1" movie run -o a.gif --frames 9:-1
expect 1 "did you mean \`velocity\`?" picture run -o a.png --color velocty
expect 1 "it has x, y and z" picture run -o a.png --color velocity.w
expect 1 "name it without one" picture run -o a.png --color radius.x
expect 1 "no lines and loads of contacts" picture run -o a.png --contacts
expect 1 "holds no bonds for --bonds" picture run -o a.png --bonds
expect 1 "nowhere" picture nowhere -o a.png
expect 1 "run.h5" picture empty -o a.png
head -c 700 run/run.h5 >half/run.h5
expect 1 "half/run.h5" picture half -o a.png
: >torn/run.h5
expect 1 "torn/run.h5" movie torn -o a.mp4
[ ! -e a.png ] && [ ! -e a.mp4 ]
check "no picture after an error"

# --- helpers that are missing, die or hang
mkdir dies hangs mute shell
printf '#!/bin/sh\necho "no luck today" >&2\nexit 1\n' >dies/chromium
printf '#!/bin/sh\nexec /bin/sleep 100\n' >hangs/chromium
printf '#!/bin/sh\necho "no codec today" >&2\nexit 1\n' >mute/ffmpeg
cp dies/chromium shell
printf '#!/bin/sh\necho "the shell" >&2\nexit 1\n' >shell/chromium-headless-shell
chmod +x */chromium */chromium-headless-shell */ffmpeg
"$repose" picture run -o a.png >out 2>err
grep -q "this build of repose has no page" err
without_page=$?
tidy "a picture"
if [ $without_page -eq 0 ]; then
    echo "skipped: this build has no page for pictures"
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
    exit
fi

without() { # path text arguments...
    local path=$1 text=$2
    shift 2
    rm -f x.png x.mp4
    PATH=$path "$repose" "$@" >out 2>err
    [ $? -eq 1 ] && grep -qF "$text" err && [ ! -e x.png ] && [ ! -e x.mp4 ]
    check "a PATH that begins with ${path%%:*}: a sentence with \"$text\""
    tidy "a failure"
}
without "$work/none" "there is no chromium, which draws the pictures: install it" picture run -o x.png
without "$work/dies" "ended: no luck today" picture run -o x.png
without "$work/shell" "ended: the shell" picture run -o x.png # it is looked for first
without "$work/hangs" "did not answer for 0.2 s" picture run -o x.png --wait 0.2
PATH=$work/hangs "$repose" picture run -o x.png >out 2>err &
until [ -n "$(ls -A tmp)" ] || ! kill -0 $! 2>/dev/null; do /bin/sleep 0.02; done
kill -TERM $!
wait $!
[ $? -eq 143 ] && [ ! -e x.png ]
check "a signal ends it with status 128 + 15"
tidy "a signal"

# --- where a grain is
# Looked at from y = -9 along y with 25 degrees from bottom to top, a picture of H pixels puts a point at depth d, z above the
# middle, H/2 (1 - z/(d tan 12.5 deg)) pixels from the top.
look=(--view 0,-9,0:0,0,0 --color radius --range 0.1:0.3 --size 640x480)
draw() { # file arguments...
    local name=$1
    shift
    "$repose" picture run -o "$name.png" "$@" >out 2>err &&
        ffmpeg -y -loglevel error -i "$name.png" -f rawvideo -pix_fmt rgb24 a.rgb </dev/null 2>err &&
        [ "$(stat -c %s a.rgb)" -eq $((640 * 480 * 3)) ]
    check "a picture of 640 x 480 pixels: $*"
}
pixel() { # x y   its red, green and blue
    od -An -tu1 -j $((3 * ($2 * 640 + $1))) -N 3 a.rgb
}
white() { pixel "$1" "$2" | awk '{ exit !($1 + $2 + $3 == 765) }'; }
draw a "${look[@]}" --no-bar
grep -q "frame 4 of 5" out
check "the last frame is drawn"
h5dump -d /bodies/position -y -w 0 run/run.h5 2>/dev/null | sed -n '/DATA {/,/}/p' | grep -E '^ *-?[0-9]' | tail -n 2 | tr -d ' ' >places
project() { # line of places, radius   pixel, radius in pixels, and the share of light that the middle of a ball has
    awk -F, -v n="$1" -v radius="$2" 'NR == n {
        f = 240/0.22169466; d = $2 + 9; far = sqrt($1^2 + $3^2 + d^2); l = sqrt(0.3^2 + 0.5^2 + 0.8^2) # tan 12.5 deg
        printf "%d %d %d %.4f", 320 + f*$1/d, 240 - f*$3/d, f*radius/d, 0.7 + 0.35*(-0.3*$1 - 0.5*$3 + 0.8*d)/far/l }' places
}
seen() { # line of places, radius, red, green, blue before it is lit
    local x y reach light way a b
    read -r x y reach light <<<"$(project "$1" "$2")"
    # 4 of 255: the middle may be half a pixel aside, and rounding
    pixel "$x" "$y" | awk -v light="$light" -v r="$3" -v g="$4" -v b="$5" '
        function far(a, b) { return a - b > 4 || b - a > 4 }
        { exit far($1, light*r) || far($2, light*g) || far($3, light*b) }'
    check "a grain is at pixel $x $y, lit by $light: $(pixel "$x" "$y")"
    # Its outline is round: just inside is grain, three pixels outside is the white ground (the edge is smoothed).
    for way in "1 0" "-1 0" "0 1" "0 -1"; do
        read -r a b <<<"$way"
        ! white $((x + a * (reach - 2))) $((y + b * (reach - 2))) && white $((x + a * (reach + 3))) $((y + b * (reach + 3)))
        check "its outline $reach pixels along $way"
    done
}
# The first and the last colour of the map.
seen 1 0.1 68 1 84
seen 2 0.3 253 231 37
draw b "${look[@]}" --no-text --clip y:0.5m
read -r x y _ <<<"$(project 1 0.1)"
white "$x" "$y" && seen 2 0.3 253 231 37
check "what lies before the cut is left out"
draw c "${look[@]}" --time 0.12s
grep -q "frame 1 of 5, t = 0.1 s" out
check "the frame nearest to a time"
# Letters are sqrt(640 480)/40 = 13.86 pixels high, the bar of colours begins 6 of them before the edge, from 71 to 422 pixels.
pixel 568 419 | awk '{ exit !($1 < 75 && $2 < 12 && $3 < 92) }' && pixel 568 75 | awk '{ exit !($1 > 245 && $2 > 223 && $3 < 45) }'
check "a bar of colours from $(pixel 568 419) to $(pixel 568 75)"
cmp -s a.png b.png
[ $? -eq 1 ]
check "pictures differ where they should"
"$repose" picture run -o d.png "${look[@]}" --no-bar >out 2>err && cmp a.png d.png >>out
check "the same picture has the same bytes"
tidy "a picture"

# --- numbers that are not finite, or far too large: the rest is drawn as before, in the colours that it has, and a warning says so
${CC:-cc} -o spoil "$OLDPWD/tests/browser/spoil.c" $(pkg-config --cflags --libs hdf5) >out 2>err
check "the program that spoils results is built"
for number in 1e300 nan inf; do
    rm -rf spoilt && cp -r run spoilt && ./spoil spoilt/run.h5 bodies/position 24 1 $number &&
        "$repose" picture spoilt -o s.png "${look[@]}" --no-bar >out 2>err &&
        grep -q "^warning: in a frame up to 1 of the bodies are not drawn" err &&
        ffmpeg -y -loglevel error -i s.png -f rawvideo -pix_fmt rgb24 a.rgb </dev/null 2>err
    check "a picture without a ball whose x is $number"
    read -r x y _ <<<"$(project 1 0.1)"
    white "$x" "$y"
    check "it is not there"
    seen 2 0.3 253 231 37
done
rm -rf spoilt && cp -r run spoilt && ./spoil spoilt/run.h5 bodies/velocity 24 1 nan &&
    "$repose" picture spoilt -o s.png --color velocity >out 2>err && grep -q "^warning: the field .velocity. holds values that are not finite" err
check "a value that is no number is told"
tidy "a picture of spoilt results"

# --- walls
# A plate stands before a ball, and a post beside it. The plate is seen through, by two faces: each takes 25 % of the light, of what
# comes from the ball 35 % of that. The post is solid. All face the camera, whose light is 0.7 + 0.35*0.8/0.9899 = 0.983 there.
cat >"$work/walls.yaml" <<'SCENE'
repose: 1
title: A ball behind a plate, and a post
gravity: [0, 0, 0]
materials: {stone: {density: 2500 kg/m^3}}
exclude: [[ball, plate], [ball, post]]
bodies:
  - {name: ball, shape: {sphere: {radius: 0.3 m}}, material: stone, position: [0, 0, 0]}
  - {name: plate, shape: {box: {size: [0.8 m, 0.05 m, 0.8 m], rounding: 1 mm}}, material: stone, fixed: true, position: [0, -1, 0]}
  - {name: post, shape: {box: {size: [0.3 m, 0.3 m, 0.8 m], rounding: 1 mm}}, material: stone, fixed: true, position: [0.9, 0, 0]}
run: {step: 1e-3 s, until: 1e-3 s}
SCENE
"$repose" run walls.yaml -q -o walls >out 2>err
check "the scene with walls runs"
shown() { # x y red green blue what   4 of 255: rounding, twice
    pixel "$1" "$2" | awk -v r="$3" -v g="$4" -v b="$5" 'function far(a, b) { return a - b > 4 || b - a > 4 }
        { exit far($1, r) || far($2, g) || far($3, b) }'
    check "$6: $(pixel "$1" "$2"), not $3 $4 $5"
}
walls() { # how
    "$repose" picture walls -o w.png "${look[@]}" --no-text --walls "$1" >out 2>err &&
        ffmpeg -y -loglevel error -i w.png -f rawvideo -pix_fmt rgb24 a.rgb </dev/null 2>err
    check "a picture with walls: $1"
}
# The wall is (158, 171, 184) and the ball (253, 231, 37) of 255 before they are lit; white is the ground. 43 pixels aside of the
# middle the plate stands alone, before (and beyond) the ball; the post is seen from 92 to 128 aside.
walls auto
shown 320 240 233 217 60 "a ball through a plate"
shown 363 240 211 217 222 "a plate before the ground"
shown 425 240 155 168 181 "a post"
walls clear
shown 425 240 211 217 222 "a post that is clear"
walls solid
shown 320 240 155 168 181 "a plate that is solid"
walls hidden
shown 320 240 249 227 36 "a ball without a plate"

# --- movies
of_movie() { ffprobe -v error -count_frames -show_entries "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames" -of csv=p=0 "$1"; }
"$repose" movie run -o a.mp4 --size 160x120 --fps 10 --view top >out 2>err && [ "$(of_movie a.mp4)" = "h264,160,120,yuv420p,10/1,5" ]
check "an MP4 of all frames: $(of_movie a.mp4)"
"$repose" movie run -o a.gif --size 161x121 --fps 10 --frames 0:-1:2 >out 2>err && grep -q "3 frames, t = 0 s to 0.4 s" out &&
    [[ $(of_movie a.gif) == gif,161,121,*10/1,3 ]]
check "a GIF of each second frame: $(of_movie a.gif)"
# The frames differ: the ball moves.
ffmpeg -loglevel error -i a.gif -f framemd5 - </dev/null 2>err | grep -v '^#' | cut -d, -f6 | sort -u | wc -l | grep -qx 3
check "no two of its frames are the same"
without "$work/mute:$PATH" "ffmpeg, which writes the movies, failed: no codec today" movie run -o x.mp4 --size 128x128
tidy "a movie"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
