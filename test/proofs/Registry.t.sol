// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Batcher} from "../../contracts/Batcher.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {LibDiamond} from "../../contracts/libraries/LibDiamond.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ProofBase} from "./support/ProofBase.sol";

/// @notice Properties of roles, approvals and the factory.
/// @dev "Any call" is every function of the registry that is not a view, with any arguments, by any caller; lists of
///      approvals have one item, those of facets none or two, versions 32 bytes.
contract RegistryProofs is ProofBase {
    Batcher internal batcher;

    function setUp() public override {
        super.setUp();
        batcher = Batcher(deploy("Batcher.sol:Batcher", abi.encode(registry)));
        vm.prank(ROOT);
        registry.setRole(Roles.OPERATOR, address(batcher), true);
    }

    /// @notice Only root gives roles, and only root or a guardian takes one; no guardian takes the role of a guardian.
    /// @dev For any role, any account, and any call.
    function check_only_root_gives_roles(address caller, bytes32 role, address account) public {
        bool had = hasRole(role, account);
        bool guards = hasRole(Roles.GUARDIAN, caller);
        callRegistry(caller);
        bool has = hasRole(role, account);
        if (has == had) return;
        assert(caller == ROOT || (!has && guards && role != Roles.GUARDIAN));
    }

    /// @notice A guardian can stop, not change: a caller who is not root cannot end a pause, approve a facet, undo a
    ///         revocation or set a release, and can pause or revoke only as a guardian.
    /// @dev For any caller but root, any call, any facet and code hash; the network paused or not, a facet of the release
    ///      revoked or not.
    function check_guardian_only_stops(address caller, bool paused, bool gone, address facet, bytes32 codeHash) public {
        vm.assume(caller != ROOT);
        pauseIf(paused);
        if (gone) revoke(dealFacet);
        bool guards = hasRole(Roles.GUARDIAN, caller);
        (uint64 since, bool revoked) = registry.approval(facet, codeHash);
        bytes32 release = releaseHash();
        callRegistry(caller);
        (uint64 sinceThen, bool revokedThen) = registry.approval(facet, codeHash);
        assert(sinceThen == since);
        assert(releaseHash() == release);
        assert(revokedThen == revoked || (guards && revokedThen));
        assert(registry.paused() == paused || (guards && !paused));
    }

    /// @notice A revoked facet is never approved again with that code, by any call of anybody, root included.
    /// @dev For any call after a guardian has revoked a facet of the release, at any later time.
    function check_revoked_facet_never_returns(address caller, uint64 time) public {
        vm.assume(time >= NOW);
        bytes32 codeHash = dealFacet.codehash;
        revoke(dealFacet);
        vm.warp(time);
        callRegistry(caller);
        (, bool revoked) = registry.approval(dealFacet, codeHash);
        assert(revoked);
        assert(!registry.isApproved(dealFacet));
    }

    /// @notice Nobody shortens the delay: the effective time of an approval is set once, a whole delay after the
    ///         proposal, by root alone; no call leaves a registry without a release, before which there is no delay.
    /// @dev For any call at any time of the next 30,000 years, any facet and any code hash; a release is there.
    function check_delay_is_never_shortened(address caller, uint64 time, address facet, bytes32 codeHash) public {
        vm.assume(time >= NOW && time < 2 ** 40);
        vm.warp(time);
        (uint64 since,) = registry.approval(facet, codeHash);
        callRegistry(caller);
        (, address[] memory facets) = registry.release();
        assert(facets.length != 0);
        (uint64 sinceThen,) = registry.approval(facet, codeHash);
        if (sinceThen == since) return;
        assert(since == 0 && caller == ROOT);
        assert(sinceThen == time + APPROVAL_DELAY);
    }

    /// @notice Root changes hands in two steps only: root names the next account, which accepts. Nobody else can
    ///         accept afterwards, the former root included.
    /// @dev For any call, with any pending root. After an acceptance nobody else can accept.
    function check_root_passes_in_two_steps(address caller, address next) public {
        vm.prank(ROOT);
        registry.transferRoot(next);
        callRegistry(caller);
        assert(registry.root() == ROOT || (registry.root() == next && caller == next));
        address pending = registry.pendingRoot();
        assert(pending == next || caller == ROOT || (caller == next && pending == address(0)));
    }

    /// @notice The creator of a diamond makes no difference: the diamond is at the address of its node and wallet,
    ///         obeys this registry, and has the same code and number of functions; a second call by somebody else
    ///         changes nothing in it or in the registry.
    /// @dev For any two callers and any node and wallet but the existing one.
    function check_diamond_is_the_same_whoever_makes_it(address caller, address other, bytes16 nodeId, bytes16 walletId)
        public
    {
        vm.assume(nodeId != 0 && walletId != 0 && (nodeId != NODE || walletId != WALLET));
        address predicted = registry.diamondAddress(nodeId, walletId);
        bytes memory data = abi.encodeCall(IRegistry.createDiamond, (nodeId, walletId));
        vm.prank(caller);
        (bool ok, bytes memory answer) = address(registry).call(data);
        assert(ok);
        address made = abi.decode(answer, (address));
        assert(made == predicted);
        assert(address(uint160(uint256(vm.load(made, LibDiamond.SLOT)))) == address(registry));
        assert(vm.load(made, LibDiamond.SLOT) == tableHead() && made.codehash == diamond.codehash);
        (bytes16 node, bytes16 wallet) = registry.diamondKey(made);
        assert(node == nodeId && wallet == walletId);
        uint256 snapshot = svm.snapshotStorage(made);
        uint256 snapshotOfRegistry = svm.snapshotStorage(address(registry));
        vm.prank(other);
        (ok, answer) = address(registry).call(data);
        assert(ok && abi.decode(answer, (address)) == made);
        assert(svm.snapshotStorage(made) == snapshot);
        assert(svm.snapshotStorage(address(registry)) == snapshotOfRegistry);
    }

    /// @notice A diamond keeps its node and wallet for ever, and no caller gets a diamond's key.
    /// @dev For any call; the existing diamond, and any caller but itself.
    function check_diamond_keeps_its_key(address caller) public {
        vm.assume(caller != diamond);
        (bool ok, bytes4 selector, bytes memory answer) = callRegistry(caller);
        // A diamond that this call makes cannot be its caller.
        if (ok && selector == IRegistry.createDiamond.selector) vm.assume(caller != abi.decode(answer, (address)));
        (bytes16 node, bytes16 wallet) = registry.diamondKey(diamond);
        assert(node == NODE && wallet == WALLET);
        (node, wallet) = registry.diamondKey(caller);
        assert(node == 0 && wallet == 0);
    }

    /// @notice A diamond is created only from a release whose facets all have their approved code and none of which
    ///         was revoked; a release with a facet that is not approved or not yet effective is refused.
    /// @dev For any caller, each facet of the release revoked or with other code; a later facet that is unknown or proposed.
    function check_no_diamond_of_an_unusable_release(
        address caller,
        uint8 which,
        bool revoked,
        bool changed,
        bool proposed
    ) public {
        vm.assume(which < 3);
        address[] memory facets = new address[](3);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, nextFacet);
        vm.startPrank(ROOT);
        if (proposed) approve(nextFacet);
        (bool set,) = address(registry).call(abi.encodeCall(IRegistry.setRelease, ("2.0.0", facets)));
        vm.stopPrank();
        assert(!set);
        address facet = which == 0 ? cutFacet : which == 1 ? loupeFacet : dealFacet;
        if (revoked) revoke(facet);
        if (changed) vm.etch(facet, address(batcher).code);
        vm.prank(caller);
        (bool ok,) = address(registry).call(abi.encodeCall(IRegistry.createDiamond, (NODE, bytes16(uint128(0x33)))));
        assert(ok == (!revoked && !changed));
    }

    /// @notice The batcher serves operators only: for everybody else every function that writes reverts.
    /// @dev For any caller without the role, with any coins, and any call of one part with no or two deals.
    function check_batcher_serves_operators_only(address caller, uint256 value) public {
        vm.assume(!hasRole(Roles.OPERATOR, caller));
        bytes memory data = svm.createCalldata("Batcher", false);
        vm.deal(caller, value);
        vm.prank(caller);
        (bool ok,) = address(batcher).call{value: value}(data);
        assert(!ok);
    }

    function revoke(address facet) internal {
        bytes32 codeHash = facet.codehash;
        vm.prank(GUARDIAN);
        registry.revokeFacet(facet, codeHash);
    }

    /// @dev Halmos gives an address of an unknown salt no code, so approvals that can succeed are a separate case.
    function callRegistry(address caller) internal returns (bool ok, bytes4 selector, bytes memory answer) {
        bytes memory data = svm.createCalldata("IRegistry", false);
        if (bytes4(data) == IRegistry.approveFacets.selector) {
            address facet = svm.createAddress("facet");
            data = abi.encodeCall(IRegistry.approveFacets, (approvalOf(facet, bytes32(svm.createUint256("codeHash")))));
        }
        selector = bytes4(data);
        vm.prank(caller);
        (ok, answer) = address(registry).call(data);
    }

    function releaseHash() internal view returns (bytes32) {
        (string memory version, address[] memory facets) = registry.release();
        return keccak256(abi.encode(version, facets));
    }
}
