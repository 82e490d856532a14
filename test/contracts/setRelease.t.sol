// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Registry} from "../../contracts/Registry.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {LibDiamond} from "../../contracts/libraries/LibDiamond.sol";
import {BrokenFacet, ExtraFacet, ExtraFacetTwo} from "../../contracts/mocks/MockFacets.sol";
import {ListFacet} from "./support/ListFacet.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract SetReleaseTest is RegistryTest {
    bytes16 internal constant OTHER = bytes16(uint128(0x99));

    function setRelease(address[] memory facets) internal pure returns (bytes memory) {
        return abi.encodeCall(IRegistry.setRelease, ("2", facets));
    }

    function withExtra(address facet) internal view returns (address[] memory facets) {
        facets = new address[](4);
        (facets[0], facets[1], facets[2], facets[3]) = (cutFacet, loupeFacet, dealFacet, facet);
    }

    function clash(bytes4 selector) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IRegistry.SelectorClash.selector, selector);
    }

    /// @dev A facet that exports `count` selectors from `first` on, approved.
    function listed(uint32 first, uint32 count) internal returns (address facet) {
        facet = shared(address(new ListFacet(first, count, 0)));
        approve(facet);
    }

    function test_only_root_sets_it() public {
        expectRootOnly(setRelease(releaseFacets()));
    }

    function test_sets_and_tells() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.ReleaseSet("1.0.1", releaseFacets());
        vm.prank(root);
        registry.setRelease("1.0.1", releaseFacets());
        (string memory version, address[] memory facets) = registry.release();
        assertEq(version, "1.0.1");
        assertEq(abi.encode(facets), abi.encode(releaseFacets()));
    }

    function test_there_is_none_in_the_beginning() public {
        (string memory version, address[] memory facets) = new Registry(root, 0, 0).release();
        assertEq(version, "");
        assertEq(facets.length, 0);
    }

    function test_reverts_when_a_facet_is_not_approved() public {
        address facet = shared(address(new ExtraFacet()));
        bytes memory reason = abi.encodeWithSelector(IRegistry.FacetNotApproved.selector, facet, facet.codehash);
        expectRefused(root, setRelease(withExtra(facet)), reason);
        vm.prank(root);
        registry.approveFacets(approvalOf(facet));
        expectRefused(root, setRelease(withExtra(facet)), reason);
        skip(APPROVAL_DELAY);
        vm.prank(guardian);
        registry.revokeFacet(facet, facet.codehash);
        expectRefused(root, setRelease(withExtra(facet)), reason);
        facet = makeAddr("empty");
        reason = abi.encodeWithSelector(IRegistry.FacetNotApproved.selector, facet, facet.codehash);
        expectRefused(root, setRelease(withExtra(facet)), reason);
    }

    function test_reverts_when_the_code_of_a_facet_is_another() public {
        vm.etch(dealFacet, loupeFacet.code);
        expectRefused(
            root,
            setRelease(releaseFacets()),
            abi.encodeWithSelector(IRegistry.FacetNotApproved.selector, dealFacet, loupeFacet.codehash)
        );
    }

    function test_reverts_when_a_facet_exports_nothing() public {
        address facet = listed(1, 0);
        expectRefused(root, setRelease(withExtra(facet)), abi.encodeWithSelector(IRegistry.NoSelectors.selector, facet));
    }

    function test_reverts_when_facets_clash() public {
        address facet = shared(address(new BrokenFacet()));
        approve(facet);
        expectRefused(root, setRelease(withExtra(facet)), clash(IDealFacet.createDeals.selector));
        address[] memory facets = withExtra(shared(address(new ExtraFacet())));
        facets[2] = shared(address(new ExtraFacetTwo()));
        approve(facets[2]);
        approve(facets[3]);
        expectRefused(root, setRelease(facets), clash(ExtraFacet.extra.selector));
        expectRefused(root, setRelease(withExtra(dealFacet)), clash(IDealFacet.createDeals.selector));
    }

    function test_reverts_when_a_facet_clashes_with_itself() public {
        address facet = listed(7, 3);
        bytes4[] memory twice = new bytes4[](2);
        (twice[0], twice[1]) = (bytes4(uint32(7)), bytes4(uint32(7)));
        vm.mockCall(facet, abi.encodeCall(ListFacet.exportSelectors, ()), abi.encode(twice));
        expectRefused(root, setRelease(withExtra(facet)), clash(twice[0]));
    }

    /// @dev Each of the functions without which a diamond could never be cut or looked into again.
    function test_reverts_when_cut_or_loupe_is_missing() public {
        bytes4[] memory needed = LibDiamond.protectedSelectors();
        for (uint256 i; i < needed.length; ++i) {
            address facet = i < 2 ? cutFacet : loupeFacet;
            bytes4[] memory exported = ListFacet(facet).exportSelectors();
            uint256 position = LibDiamond.indexOf(exported, needed[i]);
            assertLt(position, exported.length);
            exported[position] = bytes4(uint32(1));
            vm.mockCall(facet, abi.encodeCall(ListFacet.exportSelectors, ()), abi.encode(exported));
            expectRefused(
                root, setRelease(releaseFacets()), abi.encodeWithSelector(IRegistry.SelectorMissing.selector, needed[i])
            );
            vm.clearMockedCalls();
        }
        expectRefused(
            root,
            setRelease(new address[](0)),
            abi.encodeWithSelector(IRegistry.SelectorMissing.selector, bytes4(0x1f931c1c))
        );
    }

    function test_a_new_one_makes_diamonds_again_after_a_revocation() public {
        bytes32 salt = bytes32("again");
        address again = sharedAt(dealFacet, salt);
        approve(again, salt);
        vm.prank(guardian);
        registry.revokeFacet(dealFacet, dealFacet.codehash);
        address[] memory facets = releaseFacets();
        expectRefused(
            root,
            setRelease(facets),
            abi.encodeWithSelector(IRegistry.FacetNotApproved.selector, dealFacet, dealFacet.codehash)
        );
        facets[2] = again;
        vm.prank(root);
        registry.setRelease("1.0.1", facets);
        useDiamond(registry.createDiamond(NODE, OTHER));
        assertEq(loupe.facetAddress(IDealFacet.sweep.selector), again);
    }
}
