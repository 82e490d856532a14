// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Registry} from "../../contracts/Registry.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {BrokenFacet, ExtraFacet, ExtraFacetTwo} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract RegistryTest is CaratTest {
    function notRoot(address caller) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IRegistry.NotRoot.selector, caller);
    }

    function notGuardian(address caller) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IRegistry.NotGuardian.selector, caller);
    }

    /// @dev Everyone but root and guardian.
    function others() internal view returns (address[] memory list) {
        list = new address[](6);
        (list[0], list[1], list[2]) = (operator, upgrader, buyer);
        (list[3], list[4], list[5]) = (diamond, address(batcher), stranger);
    }

    function expectRefused(address caller, bytes memory call_, bytes memory reason) internal {
        vm.prank(caller);
        (bool ok, bytes memory answer) = address(registry).call(call_);
        assertFalse(ok);
        assertEq(answer, reason);
    }

    function test_constructor_keeps_its_arguments_only() public {
        vm.prank(stranger, stranger);
        Registry other = new Registry(root, 7, bytes32("p"));
        assertEq(other.root(), root);
        assertEq(other.approvalDelay(), 7);
        assertEq(other.platformId(), bytes32("p"));
        assertEq(other.pendingRoot(), address(0));
        assertFalse(other.paused());
        assertFalse(other.isOperator(stranger));
        assertFalse(other.isUpgrader(stranger));
        assertFalse(other.isGuardian(stranger));
    }

    function test_constructor_reverts_without_a_root() public {
        vm.expectRevert(IRegistry.InvalidRoot.selector);
        new Registry(address(0), 0, 0);
    }

    function test_only_root_gives_power() public {
        bytes[] memory calls = new bytes[](8);
        calls[0] = abi.encodeCall(IRegistry.setOperator, (stranger, true));
        calls[1] = abi.encodeCall(IRegistry.setUpgrader, (stranger, true));
        calls[2] = abi.encodeCall(IRegistry.setGuardian, (stranger, true));
        calls[3] = abi.encodeCall(IRegistry.setGuardian, (guardian, false));
        calls[4] = abi.encodeCall(IRegistry.setPaused, (false));
        calls[5] = abi.encodeCall(IRegistry.approveFacets, (new bytes32[](1)));
        calls[6] = abi.encodeCall(IRegistry.setRelease, ("2", releaseFacets()));
        calls[7] = abi.encodeCall(IRegistry.transferRoot, (stranger));
        for (uint256 i; i < calls.length; ++i) {
            expectRefused(guardian, calls[i], notRoot(guardian));
            for (uint256 j; j < others().length; ++j) {
                expectRefused(others()[j], calls[i], notRoot(others()[j]));
            }
        }
    }

    function test_only_root_and_guardian_take_power() public {
        bytes[] memory calls = new bytes[](4);
        calls[0] = abi.encodeCall(IRegistry.setOperator, (operator, false));
        calls[1] = abi.encodeCall(IRegistry.setUpgrader, (upgrader, false));
        calls[2] = abi.encodeCall(IRegistry.setPaused, (true));
        calls[3] = abi.encodeCall(IRegistry.revokeFacet, (dealFacet.codehash));
        for (uint256 i; i < calls.length; ++i) {
            for (uint256 j; j < others().length; ++j) {
                expectRefused(others()[j], calls[i], notGuardian(others()[j]));
            }
            uint256 state = vm.snapshotState();
            vm.prank(root);
            (bool ok,) = address(registry).call(calls[i]);
            assertTrue(ok);
            vm.revertToState(state);
            vm.prank(guardian);
            (ok,) = address(registry).call(calls[i]);
            assertTrue(ok);
        }
        assertFalse(registry.isOperator(operator));
        assertFalse(registry.isUpgrader(upgrader));
        assertTrue(registry.paused());
        assertTrue(registry.isRevoked(dealFacet.codehash));
    }

    function test_dismissed_guardian_has_no_power() public {
        vm.prank(root);
        registry.setGuardian(guardian, false);
        expectRefused(guardian, abi.encodeCall(IRegistry.setPaused, (true)), notGuardian(guardian));
    }

    function test_root_gives_and_takes_roles_and_tells() public {
        vm.startPrank(root);
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.OperatorSet(stranger, true);
        registry.setOperator(stranger, true);
        assertTrue(registry.isOperator(stranger));
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.UpgraderSet(stranger, true);
        registry.setUpgrader(stranger, true);
        assertTrue(registry.isUpgrader(stranger));
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.GuardianSet(stranger, true);
        registry.setGuardian(stranger, true);
        assertTrue(registry.isGuardian(stranger));
        registry.setOperator(stranger, false);
        assertFalse(registry.isOperator(stranger));
    }

    function test_guardian_pauses_and_root_unpauses() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.PausedSet(true, guardian);
        vm.prank(guardian);
        registry.setPaused(true);
        (bool isOperator, bool isPaused) = registry.operatorState(operator);
        assertTrue(isOperator);
        assertTrue(isPaused);
        expectRefused(guardian, abi.encodeCall(IRegistry.setPaused, (false)), notRoot(guardian));
        vm.prank(root);
        registry.setPaused(false);
        assertFalse(registry.paused());
    }

    function test_operator_state_is_both_views_in_one() public view {
        (bool isOperator, bool isPaused) = registry.operatorState(operator);
        assertTrue(isOperator);
        assertFalse(isPaused);
        (isOperator, isPaused) = registry.operatorState(stranger);
        assertFalse(isOperator);
        assertFalse(isPaused);
    }

    function test_root_moves_in_two_steps() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RootTransferStarted(root, stranger);
        vm.prank(root);
        registry.transferRoot(stranger);
        assertEq(registry.root(), root);
        assertEq(registry.pendingRoot(), stranger);
        address[3] memory callers = [root, guardian, buyer];
        for (uint256 i; i < callers.length; ++i) {
            expectRefused(
                callers[i],
                abi.encodeCall(IRegistry.acceptRoot, ()),
                abi.encodeWithSelector(IRegistry.NotPendingRoot.selector, callers[i])
            );
        }
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RootTransferred(root, stranger);
        vm.prank(stranger);
        registry.acceptRoot();
        assertEq(registry.root(), stranger);
        assertEq(registry.pendingRoot(), address(0));
        expectRefused(root, abi.encodeCall(IRegistry.setOperator, (root, true)), notRoot(root));
        expectRefused(
            stranger,
            abi.encodeCall(IRegistry.acceptRoot, ()),
            abi.encodeWithSelector(IRegistry.NotPendingRoot.selector, stranger)
        );
    }

    function test_offer_of_root_can_be_withdrawn() public {
        vm.startPrank(root);
        registry.transferRoot(stranger);
        registry.transferRoot(address(0));
        vm.stopPrank();
        expectRefused(
            stranger,
            abi.encodeCall(IRegistry.acceptRoot, ()),
            abi.encodeWithSelector(IRegistry.NotPendingRoot.selector, stranger)
        );
    }

    function test_approval_is_immediate_before_the_first_release() public {
        Registry fresh = new Registry(root, APPROVAL_DELAY, 0);
        vm.expectEmit(true, true, true, true, address(fresh));
        emit IRegistry.FacetProposed(dealFacet.codehash, block.timestamp);
        vm.prank(root);
        fresh.approveFacets(hashesOf(dealFacet));
        assertTrue(fresh.isApproved(dealFacet.codehash));
    }

    function testFuzz_approval_waits_after_the_first_release(uint256 wait, bytes32 codeHash) public {
        vm.assume(codeHash != 0 && codeHash != keccak256("") && registry.effectiveAt(codeHash) == 0);
        wait = bound(wait, 0, 2 * APPROVAL_DELAY);
        bytes32[] memory list = new bytes32[](1);
        list[0] = codeHash;
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.FacetProposed(codeHash, block.timestamp + APPROVAL_DELAY);
        vm.prank(root);
        registry.approveFacets(list);
        skip(wait);
        assertEq(registry.isApproved(codeHash), wait >= APPROVAL_DELAY);
    }

    function test_second_approval_neither_restarts_nor_shortens() public {
        bytes32[] memory list = hashesOf(address(new ExtraFacet()));
        vm.startPrank(root);
        registry.approveFacets(list);
        uint256 effectiveAt = registry.effectiveAt(list[0]);
        skip(1 days);
        vm.recordLogs();
        registry.approveFacets(list);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(registry.effectiveAt(list[0]), effectiveAt);
    }

    function test_approval_of_no_code_reverts() public {
        bytes32[2] memory hashes = [bytes32(0), keccak256("")];
        for (uint256 i; i < hashes.length; ++i) {
            bytes32[] memory list = new bytes32[](1);
            list[0] = hashes[i];
            expectRefused(
                root,
                abi.encodeCall(IRegistry.approveFacets, (list)),
                abi.encodeWithSelector(IRegistry.InvalidCodeHash.selector, hashes[i])
            );
        }
    }

    function test_revoked_facet_never_comes_back() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.FacetRevoked(dealFacet.codehash, guardian);
        vm.startPrank(guardian);
        registry.revokeFacet(dealFacet.codehash);
        vm.recordLogs();
        registry.revokeFacet(dealFacet.codehash);
        vm.stopPrank();
        assertEq(vm.getRecordedLogs().length, 0);
        assertFalse(registry.isApproved(dealFacet.codehash));
        expectRefused(
            root,
            abi.encodeCall(IRegistry.approveFacets, (hashesOf(dealFacet))),
            abi.encodeWithSelector(IRegistry.FacetIsRevoked.selector, dealFacet.codehash)
        );
    }

    function test_revoked_before_it_was_proposed_stays_out() public {
        address facet = address(new ExtraFacet());
        vm.prank(guardian);
        registry.revokeFacet(facet.codehash);
        expectRefused(
            root,
            abi.encodeCall(IRegistry.approveFacets, (hashesOf(facet))),
            abi.encodeWithSelector(IRegistry.FacetIsRevoked.selector, facet.codehash)
        );
    }

    function test_release_is_told() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.ReleaseSet("1.0.1", releaseFacets());
        vm.prank(root);
        registry.setRelease("1.0.1", releaseFacets());
        (string memory version, address[] memory facets) = registry.release();
        assertEq(version, "1.0.1");
        assertEq(abi.encode(facets), abi.encode(releaseFacets()));
    }

    function test_release_reverts_when_a_facet_is_not_approved() public {
        address[] memory facets = new address[](4);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, dealFacet);
        facets[3] = address(new ExtraFacet());
        expectRefused(
            root,
            abi.encodeCall(IRegistry.setRelease, ("2", facets)),
            abi.encodeWithSelector(IRegistry.FacetNotApproved.selector, facets[3], facets[3].codehash)
        );
    }

    function test_release_reverts_when_facets_clash() public {
        address[] memory facets = new address[](4);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, dealFacet);
        facets[3] = address(new BrokenFacet());
        approve(facets[3]);
        expectRefused(
            root,
            abi.encodeCall(IRegistry.setRelease, ("2", facets)),
            abi.encodeWithSelector(IRegistry.SelectorClash.selector, IDealFacet.createDeals.selector)
        );
        (facets[2], facets[3]) = (address(new ExtraFacet()), address(new ExtraFacetTwo()));
        approve(facets[2]);
        approve(facets[3]);
        expectRefused(
            root,
            abi.encodeCall(IRegistry.setRelease, ("2", facets)),
            abi.encodeWithSelector(IRegistry.SelectorClash.selector, ExtraFacet.extra.selector)
        );
    }

    function test_release_reverts_without_cut_or_loupe() public {
        address[] memory facets = new address[](1);
        facets[0] = cutFacet;
        expectRefused(
            root,
            abi.encodeCall(IRegistry.setRelease, ("2", facets)),
            abi.encodeWithSelector(IRegistry.SelectorMissing.selector, bytes4(0x7a0ed627))
        );
        facets[0] = loupeFacet;
        expectRefused(
            root,
            abi.encodeCall(IRegistry.setRelease, ("2", facets)),
            abi.encodeWithSelector(IRegistry.SelectorMissing.selector, bytes4(0x1f931c1c))
        );
        expectRefused(
            root,
            abi.encodeCall(IRegistry.setRelease, ("2", new address[](0))),
            abi.encodeWithSelector(IRegistry.SelectorMissing.selector, bytes4(0x1f931c1c))
        );
    }
}
