#: status and log
git status --short && git log --oneline -3
#: diff and show
git diff HEAD --stat; git show HEAD --stat
#: a message that mentions commands
git commit -q --allow-empty -m 'do not git reset --hard'
#: stash list
git stash list
#: stash show
git stash show
#: a search for a command
grep -n "git stash pop" notes.txt; true
#: restores a file
git checkout -- src/b.py
#: restores all
git checkout -- .
#: restores by restore
git restore src/b.py
#: restores from another commit
git checkout feature -- lib/a.py
#: restores from another commit, without dashes
git checkout feature lib/a.py
#: unstages
git add src/b.py && git restore --staged src/b.py
#: another branch
git checkout -q feature
#: another branch by switch
git switch -q feature
#: a new branch
git checkout -q -b topic
#: a new branch by switch
git switch -q -c topic
#: hard reset
git reset -q --hard
#: soft reset
git reset -q --soft HEAD
#: stash
git stash -q
#: stash of one file
git stash push -q src/b.py
#: clean, only shown
git clean -n
#: clean
git clean -fdq
#: clean of a folder
git clean -fdq scratch
#: merge
git stash -q && git merge -q feature
#: rebase
git stash -q && git rebase -q feature
#: cherry-pick
git cherry-pick feature >/dev/null
#: revert
git stash -q && git revert --no-edit HEAD >/dev/null
#: rm
git rm -q lib/a.py
#: rm from the index only
git rm -q --cached lib/a.py
#: rm of a folder
git rm -rq lib
#: mv
git mv notes.txt renamed.txt
#: mv into a folder
git mv notes.txt lib/
#: add of all
git add -A
#: add of one
git add src/b.py
#: commit of all
git commit -q -a -m all
#: commit of one
git commit -q -m one -- src/b.py
#: in another directory
git -C src checkout -- b.py
#: in another directory by cd
cd src && git checkout b.py
#: a tag and a branch
git tag v9; git branch side; git branch -D side
#: worktree
git worktree add -q wt feature
#: worktree list
git worktree list
#: clone
git clone -q . cloned
#: init
git init -q sub
#: archive
git archive -o arch.tar HEAD
#: archive to the output
git archive HEAD | tar t
#: format-patch
git format-patch -q -1 HEAD
#: a diff into a file
git diff > changes.diff
#: a diff by option
git diff --output=changes.diff
#: show of a file
git show HEAD:notes.txt > old-notes.txt
#: config of the repository
git config user.name x
#: config of the user
git config --global alias.st status
#: rev-parse, blame, ls-files
git rev-parse HEAD; git blame notes.txt; git ls-files; git grep -n 1
#: pulling nothing
git fetch -q . ; true
#: with a pager switched off
git --no-pager log -1; GIT_PAGER=cat git diff
#: a bundle
git bundle create -q all.bundle HEAD
#: checkout of a pattern
git checkout -- 'src/*.py'
#: stash and pop
git stash -q; git stash pop -q
#: apply of its own diff, reversed
git diff | git apply -R
#: remote and reflog
git remote -v; git reflog | head -1
