// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "../../contracts/Diamond.sol";
import {Registry} from "../../contracts/Registry.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {ExtraFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract CreateDiamondTest is CaratTest {
    bytes16 internal constant OTHER = bytes16(uint128(0x99));

    function test_reverts_without_a_release() public {
        Registry fresh = new Registry(root, APPROVAL_DELAY, bytes32("fresh"));
        vm.expectRevert(IRegistry.NoRelease.selector);
        fresh.createDiamond(NODE, WALLET);
        (string memory version, address[] memory facets) = fresh.release();
        assertEq(version, "");
        assertEq(facets.length, 0);
    }

    function test_reverts_when_a_facet_of_the_release_was_revoked() public {
        vm.prank(guardian);
        registry.revokeFacet(dealFacet.codehash);
        vm.expectRevert(abi.encodeWithSelector(IRegistry.FacetNotApproved.selector, dealFacet, dealFacet.codehash));
        registry.createDiamond(NODE, OTHER);
        // What is there already is still found.
        assertEq(registry.createDiamond(NODE, WALLET), diamond);
    }

    function test_anyone_creates_and_it_is_told() public {
        address predicted = registry.diamondAddress(NODE, OTHER);
        assertEq(predicted.code.length, 0);
        assertFalse(registry.isDiamond(predicted));
        IDiamondCut.FacetCut[] memory cut = new IDiamondCut.FacetCut[](3);
        for (uint256 i; i < 3; ++i) {
            address facet = releaseFacets()[i];
            cut[i] = IDiamondCut.FacetCut(facet, IDiamondCut.FacetCutAction.Add, IFacet(facet).exportSelectors());
        }
        vm.expectEmit(true, true, true, true, predicted);
        emit IDiamondCut.DiamondCut(cut, address(0), "");
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.DiamondCreated(predicted, NODE, OTHER);
        vm.prank(stranger);
        assertEq(registry.createDiamond(NODE, OTHER), predicted);
        assertTrue(registry.isDiamond(predicted));
        assertEq(IDealFacet(predicted).registry(), address(registry));
    }

    function test_a_second_call_returns_the_address_and_changes_nothing() public {
        vm.recordLogs();
        vm.prank(stranger);
        assertEq(registry.createDiamond(NODE, WALLET), diamond);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_works_while_paused() public {
        pause();
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }

    function test_starts_with_the_release() public view {
        IDiamondLoupe.Facet[] memory list = loupe.facets();
        assertEq(list.length, 3);
        for (uint256 i; i < 3; ++i) {
            assertEq(list[i].facetAddress, releaseFacets()[i]);
            assertEq(abi.encode(list[i].functionSelectors), abi.encode(IFacet(releaseFacets()[i]).exportSelectors()));
        }
        assertEq(diamond.code, type(Diamond).runtimeCode);
    }

    /// @dev The release changes what a diamond starts with, never where it is.
    function test_address_does_not_depend_on_release_or_caller() public {
        address predicted = registry.diamondAddress(NODE, OTHER);
        address[] memory facets = new address[](4);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, dealFacet);
        facets[3] = address(new ExtraFacet());
        approve(facets[3]);
        vm.prank(root);
        registry.setRelease("2.0.0", facets);
        assertEq(registry.diamondAddress(NODE, OTHER), predicted);
        vm.prank(buyer, buyer);
        assertEq(registry.createDiamond(NODE, OTHER), predicted);
        assertEq(ExtraFacet(predicted).extra(), 42);
    }

    function testFuzz_address_is_create2_of_node_and_wallet(bytes16 nodeId, bytes16 walletId) public {
        bytes32 salt = keccak256(abi.encodePacked(nodeId, walletId));
        address expected = vm.computeCreate2Address(salt, keccak256(type(Diamond).creationCode), address(registry));
        assertEq(registry.diamondAddress(nodeId, walletId), expected);
        assertEq(registry.createDiamond(nodeId, walletId), expected);
        assertTrue(expected.code.length > 0);
    }

    function test_node_and_wallet_are_not_interchangeable() public view {
        assertTrue(registry.diamondAddress(NODE, WALLET) != registry.diamondAddress(WALLET, NODE));
    }

    /// @dev A diamond that somebody makes without the registry belongs to whoever made it, and nobody believes it.
    function test_a_diamond_made_elsewhere_is_not_ours() public {
        address[] memory facets = releaseFacets();
        vm.mockCall(address(this), abi.encodeCall(IRegistry.release, ()), abi.encode("1.0.0", facets));
        Diamond foreign = new Diamond();
        assertEq(address(foreign).codehash, diamond.codehash);
        assertFalse(registry.isDiamond(address(foreign)));
        assertEq(IDealFacet(address(foreign)).registry(), address(this));
    }

    function test_unknown_functions_revert() public {
        (bool ok, bytes memory reason) = diamond.call(hex"12345678");
        assertFalse(ok);
        assertEq(reason, abi.encodeWithSelector(Diamond.FunctionNotFound.selector, bytes4(0x12345678)));
        (ok, reason) = diamond.call("");
        assertFalse(ok);
        assertEq(reason, abi.encodeWithSelector(Diamond.NativeRefused.selector));
    }
}
