# COSCHED_SLURM: --with-slurm=SRCDIR, the source tree of exactly the Slurm that
# will load the plugins.
#
# Only its headers are used; it need not be configured.  Three headers that Slurm's
# own configure would make are made by m4/slurm_headers.sh, in slurm-headers/ of the
# build tree; it refuses a tree that is no release.
#
# Sets the automake conditional HAVE_SLURM and substitutes
#
#	SLURM_CPPFLAGS		to see Slurm's headers, and ours first
#	slurm_stock_plugindir	where Slurm's own plugins are, as a last resort: one or
#				more folders, by colons
#	slurm_release		22.05.8
#
# and sets the shell variable cosched_slurm_text for the summary.
AC_DEFUN([COSCHED_SLURM], [
AC_ARG_WITH([slurm], [AS_HELP_STRING([--with-slurm=SRCDIR],
	    [build the plugins with the headers of this Slurm source tree])],
	    [], [with_slurm=no])
AC_ARG_WITH([slurm-plugindir], [AS_HELP_STRING([--with-slurm-plugindir=DIR[:DIR]...],
	    [where Slurm's own plugins are installed (found by itself in most cases)])],
	    [], [with_slurm_plugindir=])

AS_CASE(["$with_slurm"],
	[no], [AC_MSG_NOTICE([no --with-slurm=SRCDIR: the plugins are left out])],
	[yes|''], [AC_MSG_ERROR([--with-slurm needs the path of a Slurm source tree, see contrib/slurm-source])],
	[_COSCHED_SLURM_TREE])

AM_CONDITIONAL([HAVE_SLURM], [test "x$with_slurm" != xno])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([slurm_stock_plugindir])
AC_SUBST([slurm_release])
])

AC_DEFUN([_COSCHED_SLURM_TREE], [
cosched_given=$with_slurm
with_slurm=$(cd "$with_slurm" 2>/dev/null && pwd) ||
	AC_MSG_ERROR([--with-slurm=$cosched_given: no such folder])
AC_MSG_CHECKING([for the Slurm release of $with_slurm])
AS_IF([slurm_release=$(sh "$srcdir/m4/slurm_headers.sh" "$with_slurm" slurm-headers 2>&1)],
      [AC_MSG_RESULT([$slurm_release])],
      [AC_MSG_RESULT([none])
       AC_MSG_ERROR([$slurm_release])])
AS_IF([test "$(printf '%s\n' 22.05 "$slurm_release" | sort -V | sed q)" != 22.05],
      [AC_MSG_ERROR([Slurm 22.05 or later is needed])])
SLURM_CPPFLAGS="-include slurm-headers/cosched_slurm.h -isystem slurm-headers -isystem $with_slurm"

_COSCHED_SLURM_COMPILES
_COSCHED_SLURM_STOCK
_COSCHED_SLURM_INSTALLED
cosched_slurm_text="for Slurm $slurm_release"
])

# Slurm's internals change with releases, and some with micro releases: say that before
# make does, in errors by the hundred.  What differs is in compat/; the other files
# fail for what it does not hide yet.
AC_DEFUN([_COSCHED_SLURM_COMPILES], [
AC_MSG_CHECKING([whether the plugins compile with these headers])
for cosched_f in "$srcdir"/src/plugins/compat/*.c \
		 "$srcdir/src/plugins/sched/view/view_nodes.c" \
		 "$srcdir/src/plugins/sched/view/view_queue.c" \
		 "$srcdir/src/plugins/sched/run/site_check.c"; do
	AS_IF([$CC $CFLAGS -fsyntax-only -Werror=implicit-function-declaration \
	       -D_GNU_SOURCE $SLURM_CPPFLAGS -DCS_STOCK_PLUGINDIR='""' \
	       -I"$srcdir/src" -I"$srcdir/src/common" -I"$srcdir/src/plugins" \
	       $JSONC_CFLAGS "$cosched_f" >&AS_MESSAGE_LOG_FD 2>&1], [],
	      [AC_MSG_RESULT([no])
	       AC_MSG_ERROR([Slurm $slurm_release: the plugins do not compile with its headers (config.log says why); contrib/releases lists those that they compile for])])
done
AC_MSG_RESULT([yes])
AS_IF([! grep -q "^$slurm_release[[ 	]]" "$srcdir/contrib/releases" 2>/dev/null],
      [AC_MSG_WARN([Slurm $slurm_release is not in contrib/releases: the plugins compile with its headers, and nothing else is known])])
])

# Where Slurm's own plugins are.
AC_DEFUN([_COSCHED_SLURM_STOCK], [
AC_MSG_CHECKING([for Slurm's own plugins])
slurm_stock_plugindir=$with_slurm_plugindir
cosched_d=/usr/lib/$($CC -print-multiarch 2>/dev/null)
for cosched_d in "$cosched_d/slurm-wlm" "$cosched_d/slurm" \
		 /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm \
		 /opt/slurm/lib/slurm /opt/slurm/lib64/slurm; do
	AS_IF([test -z "$slurm_stock_plugindir" && test -f "$cosched_d/select_cons_tres.so"],
	      [slurm_stock_plugindir=$cosched_d])
done
AS_IF([test -z "$slurm_stock_plugindir"],
      [slurm_stock_plugindir=/usr/lib/slurm
       AC_MSG_RESULT([not found: PluginDir alone will tell])],
      [AC_MSG_RESULT([$slurm_stock_plugindir])])
])

# Layouts differ even between micro releases: a slurmctld of another release than
# the tree would not load what is built here.
AC_DEFUN([_COSCHED_SLURM_INSTALLED], [
AC_PATH_PROGS([SLURMCTLD], [slurmctld], [], [$PATH:/usr/sbin:/sbin:/usr/local/sbin:/opt/slurm/sbin])
AS_IF([test -n "$SLURMCTLD"], [
	cosched_installed=$("$SLURMCTLD" -V 2>/dev/null | sed 's/^[[^ ]]* //')
	AS_IF([test -n "$cosched_installed" && test "$cosched_installed" != "$slurm_release"],
	      [AC_MSG_WARN([$SLURMCTLD is release $cosched_installed, the headers are of $slurm_release: it will not load these plugins and schedules without them])])])
])
