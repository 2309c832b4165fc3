# The first process of a sandbox: everything in it ends with this one, and orphans are reaped here.
#
#   holder.sh NAME READY INIT [lease]
#
# INIT is a script that furnishes the namespaces; READY is a file that says it is done. With "lease"
# standard input must stay open, or say "keep", or all of it ends: that is how a killed harness
# leaves nothing running. Standard output is then the lock of the place, held open and not written.
ready=$2 init=$3 lease=${4-}
trap 'exit 0' TERM INT
if [ "$lease" = lease ]; then
    exec 8<&0 9>&1 1>&2
    { read -r word <&8; [ "$word" = keep ] || kill -TERM 1; } &
    exec 8<&-
fi
exec </dev/null
sh -e "$init" || exit 1
: > "$ready"
while :; do
    sleep 86400 &
    wait $!
done
